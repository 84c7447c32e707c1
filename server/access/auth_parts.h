#ifndef AUTH_PARTS_H
#define AUTH_PARTS_H

#include "auth.h"
#include "name.h"
#include "ttl_cache.h"

/* Shared by the files of auth; no other file includes it. */
struct auth {
	const struct key_secret *secret;
	struct session_limits session_limits;
	struct ttl_cache *identities; /* of struct identity_fact */
	struct ttl_cache *targets;    /* of struct target_fact */
};

/* The first bytes of a session's hash name it. */
enum { IDENTITY_SESSION_SIZE = 8 };

/* A cached key or session. Strings are stored inside the struct. */
struct identity_fact {
	int64_t user_id, key_id, default_entity_id;
	int16_t scope;
	bool is_admin, is_service;
	unsigned char session[IDENTITY_SESSION_SIZE]; /* where key_id is 0 */
	uint8_t name_len;
	char name[NAME_ENTITY_MAX];
};

/* A cached path, as one user sees it. */
struct target_fact {
	int64_t entity_id, project_id, run_id;
	int32_t crash_after_s;
	int16_t entity_kind, role, visibility, run_visibility;
	bool owns_public, project_deleted, run_deleted, run_moved;
};

/* ---- auth_identify.c ---- */

/*
 * q->identity stays NULL when no key was sent; a key that does not work is refused anywhere. A session
 * that has ended is as none: a browser sends its cookie unasked, also where nobody need sign in.
 */
err_t auth_identify(struct request *q) __attribute__((warn_unused_result));
err_t auth_unauthorized(struct request *q, const char *message);
/* The user's name into what is kept. */
err_t auth_keep_name(struct request *q, struct str user, struct identity_fact *fact)
	__attribute__((warn_unused_result));

/* ---- auth_session.c ---- */

/* *ret_fact stays as it is, and *ret_found false, for one that does not work. */
err_t auth_look_up_session(struct request *q, const unsigned char *hash,
			   struct identity_fact *ret_fact, bool *ret_found)
	__attribute__((warn_unused_result));

/* ---- auth_resolve.c ---- */

bool auth_route_has(const struct request *q, const char *text);
/* The target that the route's path names. */
struct auth_ask auth_read_path(const struct request *q);
/* Its names, checked. */
err_t auth_check_names(struct request *q, const struct auth_ask *ask, struct target *ret_target)
	__attribute__((warn_unused_result));
/* entity_id is 0 when there is no such entity. */
err_t auth_find_target(struct request *q, const struct target *t, struct target_fact *ret_fact)
	__attribute__((warn_unused_result));
/* Fills in what was found, and what the caller may do with it. */
void auth_fill_target(const struct request *q, const struct target_fact *fact, struct target *t);

#endif
