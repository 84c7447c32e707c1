#ifndef SESSION_STORE_H
#define SESSION_STORE_H

#include "db.h"
#include "db_row.h"
#include "session.h"

/* NULL for a token that does not work. */
err_t session_store_find(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			 timestamp_us now, struct session **ret_session)
	__attribute__((warn_unused_result));
/*
 * *ret_made is false when `password_hash` is no longer the user's. Sessions beyond SESSION_USER_MAX
 * end, and rows of ended ones are deleted. Needs a transaction.
 */
err_t session_store_insert(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			   const struct session *session, struct str password_hash, bool *ret_made)
	__attribute__((warn_unused_result));
err_t session_store_save(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			 const struct session *session) __attribute__((warn_unused_result));
/* Ending one that has ended changes nothing. */
err_t session_store_end(struct db *db, const unsigned char hash[static KEY_HASH_SIZE])
	__attribute__((warn_unused_result));
/* *ret_count, which may be NULL: how many ended. */
err_t session_store_end_all(struct db *db, int64_t user_id, int64_t *ret_count)
	__attribute__((warn_unused_result));

/* A session as its owner sees it. */
struct session_row {
	struct str id;
	bool is_current;
	timestamp_us created_at;
	timestamp_us seen_at;
	timestamp_us ends_at;
};
/*
 * The user's working sessions, the latest used first; `current` is the
 * hash of the caller's, if any.
 */
err_t session_store_list(struct db *db, int64_t user_id, timestamp_us now,
			 const unsigned char current[static KEY_HASH_SIZE],
			 struct session_row **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result));
/* *ret_found is false when the user has none of this id. */
err_t session_store_end_one(struct db *db, int64_t user_id, struct str id, bool *ret_found)
	__attribute__((warn_unused_result));

/* All of the user's but the one of this hash. */
err_t session_store_end_others(struct db *db, int64_t user_id,
			       const unsigned char hash[static KEY_HASH_SIZE], int64_t *ret_count)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check session_store_checks[];
extern const size_t session_store_check_count;

#endif
