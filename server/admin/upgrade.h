#ifndef UPGRADE_H
#define UPGRADE_H

#include "config.h"
#include "db.h"

/*
 * Brings the database to this version's schema; of several servers, one does it. A database with
 * data is copied before (copies.h); afterwards some of its runs are verified, for UPGRADE_LOOK_S
 * seconds and the rest of the last statement, which is bounded, too. Faults found there are
 * reported and are not an error: they may be older than the upgrade. Copying and verifying end
 * within a second if `stopped` returns true.
 */
enum { UPGRADE_LOOK_S = 10 };

struct starting;
struct upgrade_watch {
	bool (*stopped)(void);
	const struct starting *starting; /* is updated with the current step; may be NULL */
};
err_t upgrade_database(struct arena *a, const struct config *config, const char *url, struct db *db,
		       const struct upgrade_watch *watch) __attribute__((warn_unused_result));

#endif
