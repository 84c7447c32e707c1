#ifndef PURGE_STORE_H
#define PURGE_STORE_H

#include "db.h"
#include "db_row.h"
#include "run.h"

/*
 * Deleted runs and projects whose grace period is over: their data is deleted table by table, in
 * portions, the lock row and the directory last, so that a purge that was interrupted goes on.
 */
struct purge_run {
	int64_t run_id;
	int64_t project_id;
};
/* The runs that have been due longest first. */
err_t purge_store_list(struct db *db, timestamp_us now, int64_t limit, struct purge_run **ret_runs,
		       size_t *ret_count) __attribute__((warn_unused_result));

/* This and the rest in transactions that have the run's lock. From here on nothing is added to the run. */
err_t purge_store_begin(struct db *db, int64_t run_id) __attribute__((warn_unused_result));

/* The tables that have rows of a run are numbered from 0. */
extern const size_t purge_store_tables;
/* Deletes a portion of the run's rows in a table; *ret_more: there may be more. */
err_t purge_store_portion(struct db *db, int64_t run_id, size_t table, timestamp_us now,
			  bool *ret_more) __attribute__((warn_unused_result));
/* After all tables are empty. */
err_t purge_store_end(struct db *db, const struct run *run, timestamp_us now)
	__attribute__((warn_unused_result));

/* ---- projects --------------------------------------------------------------------------------- */

err_t purge_store_list_projects(struct db *db, timestamp_us now, int64_t limit,
				int64_t **ret_project_ids, size_t *ret_count)
	__attribute__((warn_unused_result));
/*
 * Locks the project until the transaction ends; it cannot be restored any more. *ret_locked is
 * false when another server has it or it is not due.
 */
err_t purge_store_lock_project(struct db *db, int64_t project_id, timestamp_us now,
			       bool *ret_locked) __attribute__((warn_unused_result));
/* Some of its runs are due now; *ret_left: the project still has some. */
err_t purge_store_hand_over_runs(struct db *db, int64_t project_id, timestamp_us now,
				 bool *ret_left) __attribute__((warn_unused_result));
/* If it has no runs: deletes a portion of its other data; *ret_more: there may be more. */
err_t purge_store_project_portion(struct db *db, int64_t project_id, timestamp_us now,
				  bool *ret_more) __attribute__((warn_unused_result));
err_t purge_store_end_project(struct db *db, int64_t project_id, timestamp_us now)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check purge_store_checks[];
extern const size_t purge_store_check_count;

#endif
