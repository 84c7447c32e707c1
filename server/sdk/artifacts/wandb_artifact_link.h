#ifndef WANDB_ARTIFACT_LINK_H
#define WANDB_ARTIFACT_LINK_H

#include "gql_run.h"

/* Links of versions into portfolios. */
extern const struct gql_type wandb_linked_artifact_type; /* { versionIndex artifactMembership } */
extern const struct gql_type
	wandb_unlinked_artifact_type; /* { artifactID success clientMutationId } */

gql_resolve wandb_link_artifact, wandb_unlink_artifact;

#endif
