#ifndef RUN_BRANCH_H
#define RUN_BRANCH_H

#include "request.h"
#include "run.h"

/*
 * Rewinding and forking runs, for both front doors. In a transaction; the target's run is locked and
 * saved here.
 */

/*
 * The run goes on from a step: rows beyond it stay readable as a branch of their own. One that has
 * nothing beyond the step is left as it is.
 */
err_t run_branch_rewind(struct request *q, int64_t step) __attribute__((warn_unused_result));

/*
 * The target's run goes on from a step of another run of its project. One that does already is left as it is.
 * ERR_NOT_FOUND: there is no such run; ERR_INVALID: it is the run itself; ERR_CONFLICT: something was written
 * into the run, or it goes on from elsewhere. It shows what the other one has, and so becomes as narrow; where the
 * request says who may see it, ERR_FORBIDDEN when those are more people and it is no admin's.
 */
struct run_fork {
	struct str parent;
	int64_t step;
	bool says_visibility; /* the request that makes the run says who may see it */
};
err_t run_branch_fork(struct request *q, const struct run_fork *fork)
	__attribute__((warn_unused_result));

#endif
