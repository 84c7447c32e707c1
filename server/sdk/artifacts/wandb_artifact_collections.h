#ifndef WANDB_ARTIFACT_COLLECTIONS_H
#define WANDB_ARTIFACT_COLLECTIONS_H

#include "wandb_artifact_parts.h"

/* Gives the page of a project's collections that the arguments ask for; an empty type: of all types. */
err_t wandb_collections_list(struct gql_call *call, struct target *target, struct str type)
	__attribute__((nonnull(1, 2), warn_unused_result));

#endif
