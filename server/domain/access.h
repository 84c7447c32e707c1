#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>

/*
 * Access rights: pure rules over a few facts. Numbers are those of the tables.
 *
 * A user is admin of the entity of their own name and has a role in teams; an admin of the server
 * is admin of every entity; a key's scope caps what its owner may do with it. Anyone may read what
 * is public, also without a key. A run may narrow or widen its project's visibility. A user with
 * write access may narrow it; only an admin may make public what was not. A copy is as narrow as
 * its source, unless an admin decides otherwise.
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
	bool signed_in; /* a valid key was sent; else role, scope and server_admin do not count */
	bool server_admin;
	enum key_scope scope;
	enum entity_role role;   /* in the entity asked about */
	enum visibility project; /* of an entity: public when it owns something public */
	enum visibility run;     /* VISIBILITY_INHERIT where there is no run */
};

/* The caller's greatest right on the object. */
enum access_right access_right(const struct access_facts *facts);

/* The visibility of a run: its own, or its project's by default. */
enum visibility access_visibility(enum visibility project, enum visibility run);

/*
 * Whether a reader of the project sees the run; a user who sees what is
 * private in the project sees all.
 */
bool access_sees(bool sees_private, enum visibility project, enum visibility run);

/* The narrower of two visibilities of runs in one project, whatever the project is. */
enum visibility access_narrower(enum visibility a, enum visibility b);

/* Whether the right is enough to change the visibility from `before` to `after`. */
bool access_may_show(enum access_right right, enum visibility before, enum visibility after);

/* Whether the caller sees private runs, too: lists leave them out for others. */
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
