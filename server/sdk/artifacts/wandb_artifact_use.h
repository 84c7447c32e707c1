#ifndef WANDB_ARTIFACT_USE_H
#define WANDB_ARTIFACT_USE_H

#include "gql_run.h"

/* The answer is a wandb_named_artifact_type. */
gql_resolve wandb_use_artifact;

/* Fields of an artifact: the runs that read it, and the run or the user that made it. */
gql_resolve wandb_artifact_used_by, wandb_artifact_created_by;

#endif
