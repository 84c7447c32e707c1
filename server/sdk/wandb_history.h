#ifndef WANDB_HISTORY_H
#define WANDB_HISTORY_H

#include "gql_run.h"

/* Fields of a run: what it logged, and what is known of its keys. */
gql_resolve wandb_run_history, wandb_run_events, wandb_run_sampled_history, wandb_run_history_keys,
	wandb_run_system_metrics, wandb_run_parquet;

extern const struct gql_type wandb_parquet_type;

#endif
