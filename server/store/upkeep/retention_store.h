#ifndef RETENTION_STORE_H
#define RETENTION_STORE_H

#include "db.h"
#include "db_row.h"
#include "project.h"

/* Takes a project that is due for retention; no other server takes it before `next`. 0: none. */
err_t retention_store_take(struct db *db, timestamp_us now, timestamp_us next,
			   int64_t *ret_project_id) __attribute__((warn_unused_result));

/* Runs of the project after `after` that may have expired, by run_id. */
struct retention_ask {
	const struct project *project;
	timestamp_us now;
	int64_t after;
	int64_t limit;
};
err_t retention_store_list(struct db *db, const struct retention_ask *ask, int64_t **ret_run_ids,
			   size_t *ret_count) __attribute__((warn_unused_result));

extern const struct db_stmt_check retention_store_checks[];
extern const size_t retention_store_check_count;

#endif
