#ifndef WANDB_PREFETCH_H
#define WANDB_PREFETCH_H

#include "gql_run.h"

struct wandb_list;

/*
 * What the runs of a page are asked for beyond themselves, in one statement of each kind for all of them; the
 * field is call's. A page whose documents take too much ends earlier.
 */
err_t wandb_prefetch_read(struct gql_call *call, struct wandb_list *list)
	__attribute__((nonnull, warn_unused_result));

#endif
