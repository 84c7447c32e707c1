#ifndef BRANCH_KEYS_H
#define BRANCH_KEYS_H

#include "branch_store.h"

struct codec;

/* What a branch inherited, in sum. */
struct branch_sum {
	int64_t rows;
	int64_t last_step;        /* -1: none */
	struct branch_keys *keys; /* of each writer, by number */
	size_t count;
};

/* Of the rows of a run, those that a branch that begins at `at` inherits from one of the run's. */
struct branch_rows_ask {
	int64_t run_id;
	int32_t branch; /* as in series_ask */
	struct branch_point at;
};

/*
 * Sums up what is inherited. Rows do not change, so most of them may be read before the run is locked: what
 * `at.row_end` adds to the one before is read each time. It is done once, when a branch is made: later its keys are
 * told by this and by what its own writers log.
 */
struct branch_summing;
struct branch_summing *branch_summing_begin(struct db *db, struct codec *codec)
	__attribute__((nonnull, returns_nonnull));
err_t branch_summing_read(struct branch_summing *s, const struct branch_rows_ask *ask)
	__attribute__((nonnull, warn_unused_result));
void branch_summing_end(struct branch_summing *s, struct branch_sum *ret_sum)
	__attribute__((nonnull));

/* All at once. */
err_t branch_keys_sum(struct db *db, struct codec *codec, const struct branch_rows_ask *ask,
		      struct branch_sum *ret_sum) __attribute__((warn_unused_result));

#endif
