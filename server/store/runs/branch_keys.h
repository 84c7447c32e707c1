#ifndef BRANCH_KEYS_H
#define BRANCH_KEYS_H

#include "branch_store.h"

struct codec;

/* The totals of what a branch inherited. */
struct branch_sum {
	int64_t rows;
	int64_t last_step;        /* -1: none */
	struct branch_keys *keys; /* of each writer, by number */
	size_t count;
};

/* The rows that a branch that begins at `at` inherits from a branch of the run. */
struct branch_rows_ask {
	int64_t run_id;
	int32_t branch; /* as in series_ask */
	struct branch_point at;
};

/*
 * Sums up what is inherited. Rows do not change, so most of them may be read before the run is
 * locked: each call reads only the rows that `at.row_end` adds to the one before. It is done once,
 * when a branch is made: later its keys follow from this and from what its own writers log.
 */
struct branch_summing;
struct branch_summing *branch_summing_begin(struct db *db, struct codec *codec)
	__attribute__((nonnull, returns_nonnull));
err_t branch_summing_read(struct branch_summing *s, const struct branch_rows_ask *ask)
	__attribute__((nonnull, warn_unused_result));
void branch_summing_end(struct branch_summing *s, struct branch_sum *ret_sum)
	__attribute__((nonnull));

/* All in one call. */
err_t branch_keys_sum(struct db *db, struct codec *codec, const struct branch_rows_ask *ask,
		      struct branch_sum *ret_sum) __attribute__((warn_unused_result));

#endif
