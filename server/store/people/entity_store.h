#ifndef ENTITY_STORE_H
#define ENTITY_STORE_H

#include "db.h"
#include "db_row.h"
#include "entity.h"

/* Users, teams and members. Ids are made by the caller (id_snowflake). */

struct team {
	int64_t entity_id;
	struct str name;
	int64_t members;
	timestamp_us created_at;
};

struct team_member {
	struct str name; /* of the user */
	int16_t role;    /* enum entity_role */
	timestamp_us created_at;
};

struct account_new {
	struct str name;
	bool is_admin;
	bool is_service;
};

/* The hash that a password is compared with. */
struct account_password {
	int64_t user_id;
	struct str password_hash; /* ended by NUL */
};

/* ERR_CONFLICT when the name is taken, by a user or a team. Needs a transaction. */
err_t entity_store_add_user(struct db *db, const struct account_new *account, timestamp_us now,
			    int64_t *ret_user_id) __attribute__((warn_unused_result));
err_t entity_store_add_team(struct db *db, struct str name, timestamp_us now, int64_t *ret_team_id)
	__attribute__((warn_unused_result));

/* Locks it until the transaction ends. */
err_t entity_store_lock(struct db *db, int64_t entity_id) __attribute__((warn_unused_result));
/* NULL when there is none. */
err_t entity_store_find(struct db *db, struct str name, struct entity **ret_entity)
	__attribute__((warn_unused_result));

enum entity_list { ENTITY_LIST_OWN, ENTITY_LIST_ALL };
struct entity_ask {
	int64_t user_id;
	enum entity_list which;
	int16_t kind; /* enum entity_kind; 0: all */
	struct str after;
	int64_t limit;
};
/* By name, from the one after `after`; each with the user's role in it. */
err_t entity_store_list(struct db *db, const struct entity_ask *ask, struct entity **ret_entities,
			size_t *ret_count) __attribute__((warn_unused_result));

err_t entity_store_list_teams(struct db *db, int64_t limit, struct team **ret_teams,
			      size_t *ret_count) __attribute__((warn_unused_result));
/* By name, from the one after `after`. */
err_t entity_store_list_members(struct db *db, int64_t team_id, struct str after, int64_t limit,
				struct team_member **ret_members, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Whether there is an admin that is not disabled. */
err_t entity_store_has_admin(struct db *db, int64_t team_id, bool *ret_there)
	__attribute__((warn_unused_result));
/* The user of this name, 0 unless they are in the team, and the user `beside_id` too. */
err_t entity_store_find_member(struct db *db, int64_t team_id, struct str name, int64_t beside_id,
			       int64_t *ret_user_id) __attribute__((warn_unused_result));
/* A role they had before is replaced. */
err_t entity_store_save_member(struct db *db, int64_t team_id, int64_t user_id,
			       enum entity_role role, timestamp_us now, bool *ret_changed)
	__attribute__((warn_unused_result));
err_t entity_store_remove_member(struct db *db, int64_t team_id, int64_t user_id, bool *ret_was)
	__attribute__((warn_unused_result));

/* NULL when there is none. */
err_t account_store_find(struct db *db, struct str name, struct account **ret_account)
	__attribute__((warn_unused_result));
/* NULL also if the caller is neither that user nor in a team with them. */
err_t account_store_find_seen(struct db *db, struct str name, int64_t by_user_id,
			      struct account **ret_account) __attribute__((warn_unused_result));
/* NULL if the user does not exist, is disabled or has no password. */
err_t account_store_find_password(struct db *db, struct str name,
				  struct account_password **ret_password)
	__attribute__((warn_unused_result));
/* Whether there is any. */
err_t account_store_exists(struct db *db, bool *ret_there) __attribute__((warn_unused_result));
err_t account_store_list(struct db *db, struct str after, int64_t limit,
			 struct account **ret_accounts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The same as admins of the server see them. */
err_t account_store_list_seen(struct db *db, struct str after, int64_t limit,
			      struct account_seen **ret_accounts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* NULL when there is none. */
err_t account_store_find_seen_all(struct db *db, struct str name, struct account_seen **ret_account)
	__attribute__((warn_unused_result));
/* Until the transaction ends, no other one takes a right or an admin away. */
err_t account_store_lock_admins(struct db *db) __attribute__((warn_unused_result));
/* Locks one account. If the transaction locks the admins, too, it does so before. */
err_t account_store_lock(struct db *db, int64_t user_id) __attribute__((warn_unused_result));
/* NULL when there is none. */
err_t account_store_find_id(struct db *db, int64_t user_id, struct account **ret_account)
	__attribute__((warn_unused_result));
/* Whether another person is an admin of the server and has a password or a key. */
err_t account_store_has_other_admin(struct db *db, int64_t user_id, bool *ret_there)
	__attribute__((warn_unused_result));
err_t account_store_save_admin(struct db *db, int64_t user_id, bool is_admin, bool *ret_changed)
	__attribute__((warn_unused_result));
err_t account_store_disable(struct db *db, int64_t user_id, timestamp_us now, bool *ret_changed)
	__attribute__((warn_unused_result));
err_t account_store_enable(struct db *db, int64_t user_id, bool *ret_changed)
	__attribute__((warn_unused_result));
err_t account_store_save_password(struct db *db, int64_t user_id, const char *hash)
	__attribute__((warn_unused_result));
/* The same while the account's password is still that one; *ret_changed is whether it was. */
err_t account_store_change_password(struct db *db, const struct account_password *account,
				    const char *hash, bool *ret_changed)
	__attribute__((warn_unused_result));
err_t account_store_save_default(struct db *db, int64_t user_id, int64_t entity_id)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check entity_store_checks[];
extern const size_t entity_store_check_count;

#endif
