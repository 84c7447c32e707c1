#ifndef WANDB_RUNS_H
#define WANDB_RUNS_H

#include "gql_run.h"

/* The runs of a project, in the grammar of the SDK's filters and orders. */
extern const struct gql_type wandb_runs_type;

gql_resolve wandb_project_runs, wandb_project_run_count;

#endif
