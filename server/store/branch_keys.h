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

/*
 * Reads all rows below `row_end` that the run's current branch has. It is done once, when the branch is
 * made: later its keys are told by this and by what its own writers log.
 */
err_t branch_keys_sum(struct db *db, struct codec *codec, int64_t run_id, int64_t row_end,
		      struct branch_sum *ret_sum) __attribute__((warn_unused_result));

#endif
