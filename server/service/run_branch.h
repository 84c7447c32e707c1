#ifndef RUN_BRANCH_H
#define RUN_BRANCH_H

#include "request.h"
#include "run.h"

/*
 * Rewinds and forks runs, for REST and SDK. Call it in a transaction. It locks and saves the target's run.
 */

/*
 * Makes the run go on from a step. Rows beyond it stay readable as a branch of their own. A run without rows beyond the
 * step is not changed.
 */
err_t run_branch_rewind(struct request *q, int64_t step) __attribute__((warn_unused_result));

/*
 * Makes the target's run go on from a step of another run of its project. A run that does so already is not changed.
 * ERR_NOT_FOUND: there is no such run. ERR_INVALID: it is the run itself. ERR_CONFLICT: the run has rows, or goes on from
 * elsewhere. The run shows the rows of the other one, so it gets its visibility if that is narrower. ERR_FORBIDDEN: the
 * request asks for a wider visibility, and the caller is not an admin.
 */
struct run_fork {
	struct str parent;
	int64_t step;
	bool says_visibility; /* the request that makes the run sets its visibility */
};
err_t run_branch_fork(struct request *q, const struct run_fork *fork)
	__attribute__((warn_unused_result));

#endif
