#ifndef WANDB_SWEEP_CHANGE_H
#define WANDB_SWEEP_CHANGE_H

#include "gql_run.h"

extern const struct gql_type wandb_upserted_sweep_type;

/* Makes a sweep, or changes the one with the id. */
gql_resolve wandb_upsert_sweep;

#endif
