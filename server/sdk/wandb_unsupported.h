#ifndef WANDB_UNSUPPORTED_H
#define WANDB_UNSUPPORTED_H

#include "gql_run.h"

/*
 * Features of the SDK that this server does not support yet. Each field answers with an error that a user
 * understands, and does not change the run.
 */
gql_resolve wandb_no_scheduler, wandb_no_charts;
gql_resolve wandb_no_launch, wandb_no_automations, wandb_no_registries;

/* The type of fields that are asked for with members and are always null. */
extern const struct gql_type wandb_unsupported_type;

#endif
