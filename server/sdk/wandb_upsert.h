#ifndef WANDB_UPSERT_H
#define WANDB_UPSERT_H

#include "gql_run.h"

/*
 * upsertBucket: a process begins a run or says more of it (by its name), or a person edits one (by its
 * id alone). What is null is left as it is.
 */
extern const struct gql_type wandb_upserted_type;

gql_resolve wandb_upsert;

#endif
