#ifndef ENTITY_H
#define ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "str.h"

/* An entity owns projects: a user or a team. A user's own entity has the user's name and id. */
enum entity_kind {
	ENTITY_USER = 1,
	ENTITY_TEAM = 2,
};

struct entity {
	int64_t entity_id;
	struct str name;
	int16_t kind; /* enum entity_kind */
	int16_t role; /* enum entity_role of the caller */
	timestamp_us created_at;
	int64_t members;       /* 1 for a user */
	int64_t quota_bytes;   /* of its own, or QUOTA_STANDARD: see quota.h */
	int64_t size_bytes;    /* of all its runs */
	int64_t deleted_bytes; /* of them, those that are deleted and not purged yet */
};

/* The account of a user. */
struct account {
	int64_t user_id;
	struct str name;
	bool is_admin;
	bool is_service; /* of a program: see auth_attributed_user() */
	bool has_password;
	int64_t default_entity_id;
	struct str default_entity;
	timestamp_us created_at;
	timestamp_us disabled_at; /* 0: may sign in */
};

/* An account as admins of the server see it. */
struct account_seen {
	int64_t user_id;
	struct str name;
	bool is_admin;
	bool is_service;
	bool has_password;
	timestamp_us created_at;
	timestamp_us disabled_at; /* 0: may sign in */
	timestamp_us seen_at;     /* the last use of a key or session; 0: none is known */
	int64_t keys;             /* working ones */
	struct str teams;         /* their names, as a JSON array */
};

static inline const char *entity_kind_name(enum entity_kind kind)
{
	return kind == ENTITY_TEAM ? "team" : "user";
}

#endif
