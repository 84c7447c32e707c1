#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>

/*
 * Who may do what: pure rules over a few facts. Numbers are those of the tables.
 *
 * A user is admin of the entity of their own name and has a role in teams; an admin of the server is
 * admin of every entity; a key's scope caps what its owner may do with it. What is public may be
 * read by everybody, also without a key. A run may narrow or open what its project says. Whoever may
 * write may narrow; what not everybody could read is shown to everybody by an admin alone. A copy is
 * as narrow as its source, unless an admin says otherwise.
 */
enum entity_role {
	ENTITY_ROLE_NONE = 0,
	ENTITY_ROLE_VIEWER = 1,
	ENTITY_ROLE_MEMBER = 2,
	ENTITY_ROLE_ADMIN = 3,
};

enum key_scope {
	KEY_SCOPE_READ = 1,
	KEY_SCOPE_WRITE = 2,
	KEY_SCOPE_ADMIN = 3,
};

enum visibility {
	VISIBILITY_INHERIT = 0, /* of a run: as its project */
	VISIBILITY_PRIVATE = 1,
	VISIBILITY_PUBLIC = 2,
};

/* In rising order: each contains those before it. */
enum access_right {
	ACCESS_RIGHT_NONE,
	ACCESS_RIGHT_READ,
	ACCESS_RIGHT_WRITE,
	ACCESS_RIGHT_ADMIN,
};

struct access_facts {
	bool signed_in; /* a valid key was shown; else role, scope and server_admin say nothing */
	bool server_admin;
	enum key_scope scope;
	enum entity_role role;   /* in the entity asked about */
	enum visibility project; /* of an entity: public when it owns something public */
	enum visibility run;     /* VISIBILITY_INHERIT where there is no run */
};

/* What the caller may do with the thing at most. */
enum access_right access_right(const struct access_facts *facts);

/* Who may read a run, as it says itself or leaves to its project. */
enum visibility access_visibility(enum visibility project, enum visibility run);

/* Whether a reader of the project sees the run; one who sees what is private in the project sees all. */
bool access_sees(bool sees_private, enum visibility project, enum visibility run);

/* The one of two visibilities of runs in one project that fewer people see, whatever the project is. */
enum visibility access_narrower(enum visibility a, enum visibility b);

/* Whether the right is enough to make of what is `before` what is `after`. */
bool access_may_show(enum access_right right, enum visibility before, enum visibility after);

/* Sees also what is private in it: lists leave it out for others. */
bool access_sees_private(const struct access_facts *facts);

/* An admin of the server, with a key that may do everything. */
bool access_is_server_admin(const struct access_facts *facts);

const char *entity_role_name(enum entity_role role);
bool entity_role_parse(const char *text, enum entity_role *ret_role);
const char *visibility_name(enum visibility visibility);
bool visibility_parse(const char *text, enum visibility *ret_visibility);
const char *key_scope_name(enum key_scope scope);
bool key_scope_parse(const char *text, enum key_scope *ret_scope);

#endif
