#ifndef WANDB_ARTIFACT_LIST_H
#define WANDB_ARTIFACT_LIST_H

#include "wandb_artifact_parts.h"

/* The versions of a collection, by their numbers there. */
extern const struct gql_type wandb_artifacts_type;

gql_resolve wandb_collection_artifacts;

#endif
