#ifndef RUN_TARGET_H
#define RUN_TARGET_H

#include "request.h"
#include "run_store.h"

/* Shared by handlers of a run: its clock, its lock, and making it on first use. */
struct run_clock run_target_clock(const struct request *q);

/* Locks the run of the path, in the request's transaction. */
err_t run_target_lock(struct request *q, struct run **ret_run) __attribute__((warn_unused_result));

/* Finds its row of the directory. */
err_t run_target_info(struct request *q, struct run_info **ret_info)
	__attribute__((warn_unused_result));

/* Saves what was decided under the lock: the run, its changes of state, and the note for search. */
err_t run_target_save(struct request *q, struct run *run, const struct run_changes *changes)
	__attribute__((warn_unused_result));

/*
 * Checks whether the entity and the project may have one more run, before anything of it is made. A limit that is reached
 * in the meantime stops the next run.
 */
err_t run_target_check_quota(struct request *q) __attribute__((warn_unused_result));

/* Makes the project of the path unless it exists, and sets its id in q->target. */
err_t run_target_make_project(struct request *q, bool *ret_made)
	__attribute__((warn_unused_result));

/*
 * Makes the run unless it exists, and sets its id in q->target, in the request's transaction. *ret_made: it was made now.
 */
err_t run_target_make(struct request *q, const struct run_info *info, bool *ret_made)
	__attribute__((warn_unused_result));

#endif
