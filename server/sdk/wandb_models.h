#ifndef WANDB_MODELS_H
#define WANDB_MODELS_H

#include "gql_run.h"

/* An entity's projects, and making and deleting them; the SDK's wire calls them models. */
extern const struct gql_type wandb_projects_type;
extern const struct gql_type wandb_upserted_model_type;

gql_resolve wandb_models, wandb_upsert_model, wandb_delete_model;

#endif
