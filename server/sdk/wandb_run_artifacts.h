#ifndef WANDB_RUN_ARTIFACTS_H
#define WANDB_RUN_ARTIFACTS_H

#include "gql_run.h"

/* Fields of a run: the versions that it read and wrote, oldest use first. */
extern const struct gql_type wandb_run_inputs_type, wandb_run_outputs_type;

gql_resolve wandb_run_inputs, wandb_run_outputs;

#endif
