#ifndef WANDB_ARTIFACT_MAKE_H
#define WANDB_ARTIFACT_MAKE_H

#include "gql_run.h"

/* Making a version: createArtifact and commitArtifact; and finding it by the id that its client chose. */
extern const struct gql_type wandb_made_artifact_type;      /* { artifact } */
extern const struct gql_type wandb_made_artifact_type_type; /* { artifactType } */
extern const struct gql_type wandb_named_artifact_type;     /* { artifact } of other changes */
extern const struct gql_type wandb_client_id_type;

gql_resolve wandb_create_artifact, wandb_commit_artifact, wandb_create_artifact_type;
gql_resolve wandb_client_id_mapping;

#endif
