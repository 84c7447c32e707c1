#ifndef LINK_STORE_H
#define LINK_STORE_H

#include "account_link.h"
#include "db.h"
#include "db_row.h"

/* One-time links. A link that was used or revoked is deleted. */

/* By their numbers, from the one after `after`: those that work. */
err_t link_store_list(struct db *db, timestamp_us now, int64_t after, int64_t limit,
		      struct account_link **ret_links, size_t *ret_count)
	__attribute__((warn_unused_result));
/* NULL for a token that does not work. */
err_t link_store_find(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
		      timestamp_us now, struct account_link **ret_link)
	__attribute__((warn_unused_result));
/* NULL for a link that does not work. */
err_t link_store_find_id(struct db *db, int64_t link_id, timestamp_us now,
			 struct account_link **ret_link) __attribute__((warn_unused_result));
/*
 * Sets its link_id. ERR_UNPROCESSABLE if there are ACCOUNT_LINKS_MAX, ERR_CONFLICT if its user was disabled, ERR_FORBIDDEN
 * if its maker is not an admin. Locks the accounts of both. A link to set a password replaces the user's
 * others. Rows of expired ones are deleted. Needs a transaction.
 */
err_t link_store_insert(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			struct account_link *link) __attribute__((warn_unused_result));
/* *ret_removed is false if another request did it first. */
err_t link_store_remove(struct db *db, int64_t link_id, bool *ret_removed)
	__attribute__((warn_unused_result));
/* Removes those that set the user's password. */
err_t link_store_remove_user(struct db *db, int64_t user_id) __attribute__((warn_unused_result));
/* Removes those that the user made. */
err_t link_store_remove_maker(struct db *db, int64_t user_id) __attribute__((warn_unused_result));
/* Both. */
err_t link_store_remove_all(struct db *db, int64_t user_id) __attribute__((warn_unused_result));
/* After a restore. */
err_t link_store_remove_every(struct db *db, int64_t *ret_count)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check link_store_checks[];
extern const size_t link_store_check_count;

#endif
