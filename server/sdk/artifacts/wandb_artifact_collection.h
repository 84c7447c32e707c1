#ifndef WANDB_ARTIFACT_COLLECTION_H
#define WANDB_ARTIFACT_COLLECTION_H

#include "wandb_artifact_parts.h"

struct artifact_type;

/*
 * Types of artifacts, "dataset", and their collections: sequences and portfolios. A type is called a kind here, because names
 * that end in "type" are types of GraphQL.
 */
struct wandb_artifact_kind {
	struct str cursor;
	struct str name;
	struct target *target;
	const struct artifact_type *row; /* NULL: it is read when more is asked for */
};

extern const struct gql_type wandb_artifact_kind_type; /* ArtifactType */
extern const struct gql_type wandb_artifact_kinds_type;
extern const struct gql_type wandb_collections_type;

gql_resolve wandb_project_artifact_kinds; /* artifactTypes of a project */
gql_resolve wandb_project_artifact_kind;  /* artifactType */
gql_resolve wandb_project_collections;    /* artifactCollections */
gql_resolve wandb_project_collection;     /* artifactCollection */
gql_resolve wandb_collection;             /* by id */

/* A type that a row names. */
void wandb_artifact_kind_give(struct gql_call *call, struct target *target, struct str name)
	__attribute__((nonnull(1, 2)));

#endif
