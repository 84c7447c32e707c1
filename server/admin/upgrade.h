#ifndef UPGRADE_H
#define UPGRADE_H

#include "config.h"
#include "db.h"

/*
 * Brings the database to this version's schema; of several servers, one does it. A database with data is copied before
 * (copies.h); afterwards some of its runs are looked at, for UPGRADE_LOOK_S seconds at most. Faults found there are told
 * and are no error: they may be older than the upgrade.
 */
enum { UPGRADE_LOOK_S = 10 };

err_t upgrade_database(struct arena *a, const struct config *config, const char *url, struct db *db,
		       bool (*stopped)(void)) __attribute__((warn_unused_result));

#endif
