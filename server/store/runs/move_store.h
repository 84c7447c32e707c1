#ifndef MOVE_STORE_H
#define MOVE_STORE_H

#include "db.h"
#include "db_row.h"
#include "run.h"

/*
 * Moves a run to another project. Rows, lines, writers, documents and files refer only to their run
 * and stay where they are. Everything that refers to the project is written again in one
 * transaction, under the run's lock: the directory, what is counted and searched by project, and
 * the numbers of keys, which are each project's own. The tail cannot be renumbered, so it has to be
 * empty; chunks have the number next to the values.
 *
 * Rejected: keys that are numbered for each run, which no chart of several runs could ask for at once; a run that
 * goes on with the numbers of the project it was made in, whose names then have to outlive it.
 */

/*
 * Chunks have up to 4096 values each: 200 million. All are written again
 * within a request's time limit.
 */
enum { MOVE_CHUNKS_MAX = 50000 };

struct moved_key {
	int32_t key_id;
	int64_t chunks;
};
/* Its keys; ERR_UNPROCESSABLE when it has more than `most` chunks. */
err_t move_store_keys(struct db *db, int64_t run_id, int64_t most, struct moved_key **ret_keys,
		      size_t *ret_count) __attribute__((warn_unused_result));

/*
 * ERR_GONE when the project is deleted; ERR_CONFLICT when it has, or had, a run of that name. The run is locked,
 * and run_move() was called on it.
 */
struct run_moving {
	int64_t from; /* the project that it leaves */
	int64_t user_id;
	timestamp_us now;
	timestamp_us kept_until; /* it is not purged before; 0: as it is */
	timestamp_us left_at;    /* it is brought back to where it was until then; 0: it is not */
	const char *reason;      /* of the row that it leaves */
	const struct run_changes *changes;
};
/* The reason of moves that may be reversed (move_store_find_left). */
#define MOVE_REASON "moved"
err_t move_store_run(struct db *db, struct run *run, const struct run_moving *moving)
	__attribute__((warn_unused_result));

/* Finds the row that a run left at an address; NULL: there is none by which it may be brought back. */
struct moved_run {
	int64_t run_id;
	timestamp_us moved_at;
};
err_t move_store_find_left(struct db *db, int64_t project_id, struct str name,
			   struct moved_run **ret_run) __attribute__((warn_unused_result));

/* The visibility of the run at the addresses that it left, which is changed with the run. */
err_t move_store_show_left(struct db *db, int64_t run_id, int16_t visibility)
	__attribute__((warn_unused_result));
/* When the run last left an entity other than this one, which may bring it back for a while; 0: it did not. */
err_t move_store_find_claim(struct db *db, int64_t run_id, int64_t entity_id,
			    timestamp_us *ret_moved_at) __attribute__((warn_unused_result));

extern const struct db_stmt_check move_store_checks[];
extern const size_t move_store_check_count;

#endif
