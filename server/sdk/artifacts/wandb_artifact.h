#ifndef WANDB_ARTIFACT_H
#define WANDB_ARTIFACT_H

#include "wandb_artifact_parts.h"

/* A version of an artifact, as the question by id gives it and all other fields that have one. */
gql_resolve wandb_artifact;

#endif
