#ifndef WANDB_SCHEMA_H
#define WANDB_SCHEMA_H

#include "gql_run.h"

/* Every question and every change that the SDK's documents may ask for. */
extern const struct gql_schema wandb_schema;

#endif
