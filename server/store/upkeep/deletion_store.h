#ifndef DELETION_STORE_H
#define DELETION_STORE_H

#include "db.h"
#include "db_row.h"
#include "run.h"

/*
 * Deleted runs and projects that may be restored: they are only marked. None of their data is
 * touched, except the searched document.
 */

/* The run is locked, and run_delete() was called on it: saved with its changes. */
err_t deletion_store_delete_run(struct db *db, const struct run *run,
				const struct run_deletion *deletion,
				const struct run_changes *changes)
	__attribute__((warn_unused_result));
/* The same after run_restore(). */
err_t deletion_store_restore_run(struct db *db, struct run *run, timestamp_us now,
				 const struct run_changes *changes)
	__attribute__((warn_unused_result));

struct deleted_run {
	int64_t run_id;
	timestamp_us deleted_at;
};
struct deleted_run_ask {
	int64_t project_id;
	timestamp_us now;          /* runs whose grace period is not over then */
	timestamp_us after_delete; /* after this place */
	int64_t after_run;
	int64_t limit;
};
/* The latest first. */
err_t deletion_store_list_runs(struct db *db, const struct deleted_run_ask *ask,
			       struct deleted_run **ret_runs, size_t *ret_count)
	__attribute__((warn_unused_result));

/* The data that a deletion of a project takes. */
struct project_contents {
	int64_t runs;
	int64_t versions; /* of artifacts */
	int64_t size_bytes;
	int64_t links; /* of these versions, in other projects */
};
err_t deletion_store_describe_project(struct db *db, int64_t project_id,
				      struct project_contents **ret_contents)
	__attribute__((warn_unused_result));
/* Marks the project; its runs stay as they are. *ret_done is false if it was deleted before. */
err_t deletion_store_delete_project(struct db *db, int64_t project_id, timestamp_us now,
				    timestamp_us purge_at, bool *ret_done)
	__attribute__((warn_unused_result));
/* *ret_done: it is restored. */
err_t deletion_store_restore_project(struct db *db, int64_t project_id, timestamp_us now,
				     bool *ret_done) __attribute__((warn_unused_result));

extern const struct db_stmt_check deletion_store_checks[];
extern const size_t deletion_store_check_count;

#endif
