#ifndef WANDB_ARTIFACT_FILES_H
#define WANDB_ARTIFACT_FILES_H

#include "wandb_artifact_parts.h"

/* The manifest of a version, and its entries as files with links. */
extern const struct gql_type wandb_artifact_manifest_type;
extern const struct gql_type wandb_artifact_files_type;

gql_resolve wandb_artifact_manifest;
gql_resolve wandb_artifact_files;
gql_resolve
	wandb_artifact_files_of_entries; /* by names, of entries that core has from the manifest */
gql_resolve wandb_member_files;          /* of a version in a collection */

#endif
