#ifndef LEFT_OUT_STORE_H
#define LEFT_OUT_STORE_H

#include "db.h"
#include "db_row.h"
#include "left_out.h"

/* Stored members of a run's requests that were left out: at most LEFT_OUT_MAX entries of a run. */
struct left_out_row {
	int32_t number; /* from 0 */
	int16_t kind;   /* enum left_out_kind */
	struct str reason;
	struct str name;
	int64_t count;
	timestamp_us first_at;
	timestamp_us last_at;
	struct str sample;
};

/* In a transaction that holds the run's lock. Does nothing when the list is empty. */
err_t left_out_store_add(struct db *db, int64_t run_id, const struct left_out_list *list,
			 timestamp_us now) __attribute__((warn_unused_result));

/* The parameters of left_out_add, for the flusher's pipeline; of a list that is not empty. */
struct db_args left_out_store_args(struct arena *a, int64_t run_id,
				   const struct left_out_list *list, timestamp_us now);

/* By number, those above `after`. */
err_t left_out_store_list(struct db *db, int64_t run_id, int64_t after, int64_t limit,
			  struct left_out_row **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result));

#endif
