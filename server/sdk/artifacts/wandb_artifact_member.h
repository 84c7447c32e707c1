#ifndef WANDB_ARTIFACT_MEMBER_H
#define WANDB_ARTIFACT_MEMBER_H

#include "wandb_artifact_parts.h"

/* Versions in collections: a version has a number and aliases in its sequence, and others in each portfolio. */
extern const struct gql_type wandb_members_type;

gql_resolve wandb_project_member;     /* artifactCollectionMembership of a project */
gql_resolve wandb_collection_member;  /* artifactMembership of a collection */
gql_resolve wandb_artifact_members;   /* artifactMemberships of a version */
gql_resolve wandb_project_artifact;   /* artifact of a project, by "name:alias" */
gql_resolve wandb_artifact_kind_item; /* artifact of a type, likewise */

/* The memberships of a version in projects that the caller may read; its own is the first. */
err_t wandb_members_read(struct wandb *w, const struct wandb_artifact *artifact,
			 struct wandb_member **ret_members, size_t *ret_count)
	__attribute__((nonnull, warn_unused_result));

#endif
