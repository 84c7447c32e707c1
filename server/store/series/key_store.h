#ifndef KEY_STORE_H
#define KEY_STORE_H

#include "db.h"
#include "db_row.h"
#include "key.h"

struct key_owner {
	int64_t key_id;
	int16_t scope; /* enum key_scope */
	int64_t user_id;
	struct str user;
	bool is_admin;
	bool is_service;
	int64_t default_entity_id;
	bool stale; /* its last use should be noted: key_store_touch() */
};

struct key_new {
	int64_t user_id;
	struct str text; /* the key itself: only its hash and its hint are stored */
	struct str name;
	enum key_scope scope;
	timestamp_us now;
};

/* ERR_CONFLICT if the same key exists already. */
err_t key_store_insert(struct db *db, const struct key_secret *secret, const struct key_new *key,
		       int64_t *ret_key_id) __attribute__((warn_unused_result));
/* For one user, or for all with 0. */
err_t key_store_list(struct db *db, int64_t user_id, int64_t limit, struct key **ret_keys,
		     size_t *ret_count) __attribute__((warn_unused_result));
/* A user's working keys, from the one after `after`. */
err_t key_store_list_own(struct db *db, int64_t user_id, int64_t after, int64_t limit,
			 struct key **ret_keys, size_t *ret_count)
	__attribute__((warn_unused_result));
err_t key_store_count(struct db *db, int64_t user_id, int64_t *ret_count)
	__attribute__((warn_unused_result));
/* *ret_found is false unless it is a working key of the user. */
err_t key_store_revoke_own(struct db *db, int64_t user_id, int64_t key_id, timestamp_us now,
			   bool *ret_found) __attribute__((warn_unused_result));
/* *ret_found is false when there is no such key; revoking twice changes nothing. */
err_t key_store_revoke(struct db *db, int64_t key_id, timestamp_us now, bool *ret_found)
	__attribute__((warn_unused_result));

/* NULL for a key that does not work. */
err_t key_store_find_owner(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			   struct key_owner **ret_owner) __attribute__((warn_unused_result));
/* Notes that it was used just now, from that address. */
err_t key_store_touch(struct db *db, int64_t key_id, struct str address)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check key_store_checks[];
extern const size_t key_store_check_count;

#endif
