#ifndef WANDB_ARTIFACT_EDIT_H
#define WANDB_ARTIFACT_EDIT_H

#include "gql_run.h"

/* Changes of versions and of collections, as people make them through the public API. */
extern const struct gql_type wandb_changed_artifact_type;   /* { artifact } */
extern const struct gql_type wandb_changed_collection_type; /* { artifactCollection } */
extern const struct gql_type wandb_changed_tags_type;       /* { tags success } */

gql_resolve wandb_update_artifact, wandb_delete_artifact;
gql_resolve wandb_add_aliases, wandb_delete_aliases;
gql_resolve wandb_update_collection, wandb_move_collection, wandb_delete_collection;
gql_resolve wandb_add_collection_tags, wandb_delete_collection_tags;

#endif
