#ifndef WANDB_ARTIFACT_INPUT_H
#define WANDB_ARTIFACT_INPUT_H

#include "artifact_target.h"
#include "gql_run.h"

/* Members of the argument "input" of changes of artifacts. */
const struct json_doc *wandb_artifact_input(const struct gql_call *call) __attribute__((nonnull));
struct str wandb_artifact_input_text(const struct gql_call *call, const char *name)
	__attribute__((nonnull));

struct wandb_texts {
	const struct str *at;
	size_t count;
};
/* A list of objects, of each one text: "tags": [{"tagName": "a"}]. Null is an empty list. */
err_t wandb_artifact_input_texts(const struct gql_call *call, const char *list, const char *name,
				 struct wandb_texts *ret_texts)
	__attribute__((nonnull, warn_unused_result));

/* Finds the member for a version in a collection, which is target->collection; member NULL: it is not in it. */
err_t wandb_artifact_input_member(struct request *q, struct artifact *artifact,
				  struct artifact_target *target)
	__attribute__((nonnull, warn_unused_result));

#endif
