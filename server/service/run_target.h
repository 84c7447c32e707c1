#ifndef RUN_TARGET_H
#define RUN_TARGET_H

#include "request.h"
#include "run_store.h"

/* What handlers of a run have in common: its clock, its lock, making it on first use. */
struct run_clock run_target_clock(const struct request *q);

/* The run of the path, locked; in the request's transaction. */
err_t run_target_lock(struct request *q, struct run **ret_run) __attribute__((warn_unused_result));

/* Its row of the directory. */
err_t run_target_info(struct request *q, struct run_info **ret_info)
	__attribute__((warn_unused_result));

/* What was decided under the lock: the run, its changes of state, the note for search. */
err_t run_target_save(struct request *q, struct run *run, const struct run_changes *changes)
	__attribute__((warn_unused_result));

/*
 * Whether the entity and the project may have one more run; before anything of it is made. A limit that is reached
 * meanwhile is for the next one.
 */
err_t run_target_check_quota(struct request *q) __attribute__((warn_unused_result));

/* The project of the path is there afterwards, and its id in q->target. */
err_t run_target_make_project(struct request *q, bool *ret_made)
	__attribute__((warn_unused_result));

/*
 * The run is there afterwards, and its id in q->target; *ret_made tells whether it was made now. In
 * the request's transaction.
 */
err_t run_target_make(struct request *q, const struct run_info *info, bool *ret_made)
	__attribute__((warn_unused_result));

#endif
