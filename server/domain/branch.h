#ifndef BRANCH_H
#define BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

/*
 * Branches of a run's history. A run that was rewound goes on from an earlier step, one that was forked
 * from a step of another run; neither copies a row. A branch is a list of parts, each some writers' rows
 * of one run up to a row and a step: what it inherited, and last what its own writers log.
 *
 *	run a   writers 0 1     rows 0 .................. 99      branch 0
 *	                                steps 0 .. 40 | 41 ..
 *	rewound to step 40              inherited ────┘   hidden
 *	        writers 2       rows                      100 ..  branch 1: writers 0 1, rows 0 to 99, steps
 *	                                                          to 40; writers 2 and up
 *
 * INVARIANT: a writer writes into one branch as long as it lives. The inherited part is fixed when
 * the branch is made: later rows of the earlier writers belong only to their own branch. The rows
 * and writers of a fork are numbered on from those of the run it was forked from, so numbers in one
 * branch are of one row and one writer.
 */
enum { BRANCH_PARTS_MAX = 1000, BRANCH_WRITERS_OPEN = INT32_MAX };
#define BRANCH_ROWS_OPEN INT64_MAX
#define BRANCH_STEPS_OPEN INT64_MAX

struct branch_part {
	int64_t run_id;       /* the run of the rows */
	int32_t writer_first; /* of these writers' lanes */
	int32_t writer_end;
	int64_t row_end;   /* before this one */
	int64_t step_last; /* with steps up to this one */
};

struct branch_view {
	const struct branch_part *parts; /* the branch's own last */
	size_t count;
};

/* The branch that a run is made with. */
struct branch_view branch_of_run(struct arena *a, int64_t run_id);

/* The start of another branch: it inherits what existed at that point, up to the step. */
struct branch_point {
	int64_t step;
	int64_t row_end;
	int32_t writer_end;
};
/* ERR_UNPROCESSABLE: it would have more than BRANCH_PARTS_MAX. */
err_t branch_from(struct arena *a, const struct branch_view *from, const struct branch_point *at,
		  int64_t run_id, struct branch_view *ret_view) __attribute__((warn_unused_result));

/* The branch as it is when another branch of the run has begun: further writers are not its own. */
struct branch_view branch_left(struct arena *a, const struct branch_view *view, int32_t writer_end);

/* Whether the row is in it; `run_id` is the run of the row. */
struct branch_row {
	int64_t run_id;
	int32_t writer; /* its lane */
	int64_t row;
	int64_t step;
};
bool branch_has(const struct branch_view *view, const struct branch_row *row);

/* How many of a writer's rows within these bounds are in it. */
enum branch_share { BRANCH_NONE, BRANCH_SOME, BRANCH_ALL };
struct branch_rows {
	int64_t run_id;
	int32_t writer;
	int64_t row_first, row_last;
	int64_t step_min, step_max;
};
enum branch_share branch_share(const struct branch_view *view, const struct branch_rows *rows);

/* The runs whose rows it has, each once; at most as many as parts. */
size_t branch_runs(const struct branch_view *view, int64_t *ret_run_ids);

/* Its stored form: five numbers a part. */
struct str branch_write(struct arena *a, const struct branch_view *view);
err_t branch_read(struct arena *a, struct str text, struct branch_view *ret_view)
	__attribute__((warn_unused_result));

#endif
