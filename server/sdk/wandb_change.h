#ifndef WANDB_CHANGE_H
#define WANDB_CHANGE_H

#include "gql_run.h"
#include "run_change.h"

/* Changes of runs by their id, as people make them through the public API. */
extern const struct gql_type wandb_done_type; /* { success clientMutationId } */

gql_resolve wandb_delete_run, wandb_stop_run, wandb_update_run_state;

/* In a transaction of q->db with the database's clock in q->now; undone when it fails. */
typedef err_t wandb_change_fn(struct request *q, const void *what);
err_t wandb_change(struct request *q, wandb_change_fn *change, const void *what)
	__attribute__((nonnull(1, 2), warn_unused_result));
/* The same for the request's run, by run_change(). */
err_t wandb_change_run(struct request *q, run_change_fn *change, const void *what)
	__attribute__((nonnull(1, 2), warn_unused_result));

/* The answer of a change that is done. */
void wandb_done(struct gql_call *call) __attribute__((nonnull));

#endif
