#ifndef DB_NOTICE_H
#define DB_NOTICE_H

#include "db.h"

/*
 * LISTEN and NOTIFY: events that servers of one database send each other. It takes a dedicated
 * connection to PostgreSQL itself: behind a pooler, notices go to the session's current user.
 *
 * Notices are lost while the connection is down: a listener queries what it missed after each
 * db_listen().
 */
typedef void db_notice_fn(void *arg, struct str payload);

/*
 * Once for a connection; when that is lost, every call fails, and the caller opens another one.
 * ERR_PRECONDITION: there is a pooler in between. No message is kept for long, so sending does not
 * wait for the disk.
 */
err_t db_listen(struct db *db, const char *channel) __attribute__((warn_unused_result, nonnull));

/* One transaction with a notice for each payload, of fewer than 8000 bytes each. */
err_t db_notify(struct db *db, const char *channel, const struct str *payloads, size_t count)
	__attribute__((warn_unused_result, nonnull));

/*
 * Delivers the notices of other servers, not our own. Waits for them until then (monotonic), or
 * until `wake` (a descriptor) is readable.
 */
err_t db_hear(struct db *db, int wake, int64_t until_us, db_notice_fn *heard, void *arg)
	__attribute__((warn_unused_result, nonnull(1, 4)));

#endif
