#ifndef SERIES_BRANCH_H
#define SERIES_BRANCH_H

#include "branch.h"
#include "series_lanes.h"

/*
 * Reading runs that were rewound or forked. Their values are where they were logged: in chunks and
 * tails of the runs that the branch's parts name. For a plain run nothing here is ever called.
 */
struct branched {
	int64_t run_id;
	struct branch_view view;
};

/*
 * Turns the rows of part SERIES_BRANCH, which are the last, into the
 * lanes' runs; *count is without them.
 */
err_t series_branch_take(struct arena *a, const struct series_row *rows, size_t *count,
			 struct lanes *lanes) __attribute__((warn_unused_result));

/* The request for the runs whose rows the branch has, each as a plain run. */
struct series_ask series_branch_ask(struct arena *a, const struct series_ask *ask,
				    const struct branched *run);

/*
 * Lanes of the run, all parts together. A cell that is in the branch as a
 * whole is used as stored; for the others the values are read, so that a
 * chart costs a few chunks more than that of a plain run.
 */
err_t series_branch_lanes(struct db *db, struct codec *codec, const struct series_ask *ask,
			  const struct branched *run, struct lanes *ret_lanes)
	__attribute__((warn_unused_result));

/* The values that are in the branch; in memory of the arena. */
struct cell_values series_branch_values(struct arena *a, const struct branched *run,
					int64_t source_id, int32_t writer,
					const struct cell_values *values);

#endif
