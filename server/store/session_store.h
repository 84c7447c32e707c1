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
 * *ret_made is false when `password_hash` is no longer the user's. Sessions beyond SESSION_USER_MAX end,
 * and rows of ended ones go. Needs a transaction.
 */
err_t session_store_insert(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			   const struct session *session, struct str password_hash, bool *ret_made)
	__attribute__((warn_unused_result));
err_t session_store_save(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			 const struct session *session) __attribute__((warn_unused_result));
/* Ending one that has ended changes nothing. */
err_t session_store_end(struct db *db, const unsigned char hash[static KEY_HASH_SIZE])
	__attribute__((warn_unused_result));
err_t session_store_end_all(struct db *db, int64_t user_id) __attribute__((warn_unused_result));

/* All of the user's but the one of this hash. */
err_t session_store_end_others(struct db *db, int64_t user_id,
			       const unsigned char hash[static KEY_HASH_SIZE])
	__attribute__((warn_unused_result));

extern const struct db_stmt_check session_store_checks[];
extern const size_t session_store_check_count;

#endif
