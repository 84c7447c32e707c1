#ifndef WANDB_INPUT_H
#define WANDB_INPUT_H

#include "err.h"
#include "json_doc.h"
#include "run_store.h"

/*
 * What the input of upsertBucket says of a run's directory row. A member that is null or absent changes
 * nothing; *ret_changed tells whether any did.
 */
err_t wandb_input_info(struct arena *a, const struct json_doc *input, struct run_info *info,
		       bool *ret_changed) __attribute__((nonnull, warn_unused_result));

/* A text member; .at is NULL when it is null, absent or of another kind. */
struct str wandb_input_text(const struct json_doc *input, const char *name);

/* {"host":…, "program":…, …}: what the process says of itself. */
struct str wandb_input_process(struct arena *a, const struct json_doc *input);

/* The merge patch that makes `after` of `before`; names that begin with "_" are not taken away. */
const struct json_doc *wandb_input_patch(struct arena *a, const struct json_doc *before,
					 const struct json_doc *after)
	__attribute__((nonnull, returns_nonnull));

#endif
