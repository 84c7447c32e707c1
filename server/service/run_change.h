#ifndef RUN_CHANGE_H
#define RUN_CHANGE_H

#include "request.h"
#include "run.h"

/* A change of the run of the path: the run is locked, changed and saved in the request's transaction. */
struct run_edit {
	struct run *run;
	struct run_changes changes; /* of its state */
	bool is_unchanged;          /* set by the function that changes: nothing is saved */
};

/* Changes edit->run. After an error nothing is saved. */
typedef err_t run_change_fn(struct request *q, struct run_edit *edit, const void *arg);

err_t run_change(struct request *q, run_change_fn *change, const void *arg, struct run **ret_run)
	__attribute__((warn_unused_result));
/* The same, and answers with the run. */
err_t run_change_and_reply(struct request *q, run_change_fn *change, const void *arg)
	__attribute__((warn_unused_result));

#endif
