#ifndef SERIES_BRANCH_H
#define SERIES_BRANCH_H

#include "branch.h"
#include "series_lanes.h"

/*
 * Reading runs that were rewound or forked. Their values lie where they were logged: in chunks and tails
 * of the runs that the branch's parts name. Of a plain run nothing here is ever called.
 */
struct branched {
	int64_t run_id;
	struct branch_view view;
};

/* The rows of part SERIES_BRANCH, which are the last, become the lanes' runs; *count is without them. */
err_t series_branch_take(struct arena *a, const struct series_row *rows, size_t *count,
			 struct lanes *lanes) __attribute__((warn_unused_result));

/* The runs whose rows the branch has, asked for as they are. */
struct series_ask series_branch_ask(struct arena *a, const struct series_ask *ask,
				    const struct branched *run);

/*
 * Lanes of the run, all parts together. A cell that lies in the branch as a whole is as it is stored; of
 * the others the values are read, so that a chart costs a few chunks more than that of a plain run.
 */
err_t series_branch_lanes(struct db *db, struct codec *codec, const struct series_ask *ask,
			  const struct branched *run, struct lanes *ret_lanes)
	__attribute__((warn_unused_result));

/* Those of the values that are in the branch; in memory of the arena. */
struct cell_values series_branch_values(struct arena *a, const struct branched *run,
					int64_t source_id, int32_t writer,
					const struct cell_values *values);

#endif
