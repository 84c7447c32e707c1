#ifndef WANDB_ARTIFACT_FILTER_H
#define WANDB_ARTIFACT_FILTER_H

#include "wandb_artifact_parts.h"

/*
 * Which versions a list has: {"state": "COMMITTED", "tags": {"$in": ["a", "b"]}, "metadata.lr": {"$lt": 0.1}}. Keys are state,
 * digest, version_index, created_at, tags, aliases and metadata.NAME; operators are those of the filter of runs that compare
 * one value. A list matches if one of its items does.
 */
struct wandb_artifact_filter {
	const struct json_doc *doc; /* an object; NULL: committed ones */
};

/* Reads the argument "filters". Deleted versions and drafts are in no list. */
err_t wandb_artifact_filter_read(struct gql_call *call, struct wandb_artifact_filter *ret_filter)
	__attribute__((nonnull, warn_unused_result));
err_t wandb_artifact_filter_match(struct arena *a, const struct wandb_artifact_filter *filter,
				  const struct wandb_artifact *artifact, bool *ret_matches)
	__attribute__((nonnull, warn_unused_result));

#endif
