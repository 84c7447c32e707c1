#ifndef WANDB_SWEEP_RUNS_H
#define WANDB_SWEEP_RUNS_H

#include "wandb_runs.h"

/*
 * Runs of a sweep's trials: of a sweep all but prior ones, those whose process has not come yet as pending runs. Without "first"
 * there is no page, but the newest WANDB_SWEEP_RUNS_MAX: agents and controllers read all at once.
 */
enum { WANDB_SWEEP_RUNS_MAX = 5000 };

gql_resolve wandb_sweep_runs, wandb_sweep_prior_runs;
/* Runs of an agent that came, in pages. */
gql_resolve wandb_agent_runs;

#endif
