#ifndef CLOCKS_H
#define CLOCKS_H

#include "clock.h"
#include "db.h"

/*
 * This machine's clock and the database's. Times of runs, sessions and deletions go by the database's; the expiry of links to
 * files and of certificates, the names of copies and the log by this machine's.
 */
struct clocks {
	timestamp_us database;
	int64_t ahead_us; /* this machine's before it */
};
enum { CLOCKS_APART_US = 5 * 1000 * 1000 };

/* Needs no tables. */
err_t clocks_read(struct db *db, struct clocks *ret_clocks) __attribute__((warn_unused_result));

/*
 * ERR_BUSY while the database's clock is at a year before Cairn existed: it has not been set yet.
 */
err_t clocks_check(struct db *db) __attribute__((warn_unused_result));

/* Logs faults of the clocks at the start of a server, which goes on. The database is migrated. */
err_t clocks_tell(struct db *db) __attribute__((warn_unused_result));

#endif
