#ifndef WANDB_PREFETCH_H
#define WANDB_PREFETCH_H

#include "gql_run.h"

struct wandb_list;

/*
 * Reads the further data of a page's runs that the query asks for, with one statement of each kind for all runs.
 * The field is call's. A page whose documents are too large ends early.
 */
err_t wandb_prefetch_read(struct gql_call *call, struct wandb_list *list)
	__attribute__((nonnull, warn_unused_result));

#endif
