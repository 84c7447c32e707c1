#ifndef WANDB_ARTIFACT_MANIFEST_H
#define WANDB_ARTIFACT_MANIFEST_H

#include "gql_run.h"

/* Manifests of a draft, and where their JSON is sent. What readers see is a field of the artifact (wandb_artifact_files.h). */
extern const struct gql_type wandb_made_manifest_type; /* { artifactManifest } */

gql_resolve wandb_create_artifact_manifest, wandb_update_artifact_manifest;

#endif
