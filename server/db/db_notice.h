#ifndef DB_NOTICE_H
#define DB_NOTICE_H

#include "db.h"

/*
 * LISTEN and NOTIFY: what servers of one database tell each other at once. It takes a connection to
 * PostgreSQL itself, for nothing else: behind a pooler notices come to whoever has the session then.
 *
 * Notices are lost while the connection is: who listens asks for what he missed after each db_listen().
 */
typedef void db_notice_fn(void *arg, struct str payload);

/*
 * Once for a connection; when that is lost, every call fails, and the caller opens another one.
 * ERR_PRECONDITION: there is a pooler in between. Nothing said here is kept for long, so nothing waits
 * for the disk.
 */
err_t db_listen(struct db *db, const char *channel) __attribute__((warn_unused_result, nonnull));

/* One transaction with a notice for each payload, of fewer than 8000 bytes each. */
err_t db_notify(struct db *db, const char *channel, const struct str *payloads, size_t count)
	__attribute__((warn_unused_result, nonnull));

/*
 * Hands over what others said (not what was said here), and waits for it until then (monotonic), or
 * until `wake` (a descriptor) can be read.
 */
err_t db_hear(struct db *db, int wake, int64_t until_us, db_notice_fn *heard, void *arg)
	__attribute__((warn_unused_result, nonnull(1, 4)));

#endif
