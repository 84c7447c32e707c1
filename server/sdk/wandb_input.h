#ifndef WANDB_INPUT_H
#define WANDB_INPUT_H

#include "err.h"
#include "json_doc.h"
#include "run_store.h"

/*
 * What processes of a run sent last of its directory row. They send all of it with every change, as they knew it when
 * they began: what differs from what was sent before is what they changed, and the rest stays as people made it.
 */
struct wandb_sent {
	const struct json_doc *doc; /* an object */
	bool is_other;              /* than it was when this was read */
};

/*
 * What the input of upsertBucket says of a run's directory row. A member that is null or absent changes
 * nothing; *ret_changed tells whether any did. What is longer than it may be is shortened, and noted in the list of
 * what is left out.
 */
struct wandb_change_of_info {
	const struct json_doc *input;
	struct wandb_sent *sent; /* NULL when it is no process that says it */
	struct left_out_list *left_out;
};
err_t wandb_input_info(struct arena *a, const struct wandb_change_of_info *c, struct run_info *info,
		       bool *ret_changed) __attribute__((nonnull, warn_unused_result));

/* Beside what the input says: what the process was told, as it sends that, too. */
void wandb_input_told(struct arena *a, struct wandb_sent *sent, const struct run_info *info)
	__attribute__((nonnull));

/* A text member; .at is NULL when it is null, absent or of another kind. */
struct str wandb_input_text(const struct json_doc *input, const char *name);

/* {"host":…, "program":…, …}: what the process says of itself; of its config (NULL: none) the SDK's version. */
struct str wandb_input_process(struct arena *a, const struct json_doc *input,
			       const struct json_doc *config);

/* The merge patch that makes `after` of `before`; names that begin with "_" are not taken away. */
const struct json_doc *wandb_input_patch(struct arena *a, const struct json_doc *before,
					 const struct json_doc *after)
	__attribute__((nonnull, returns_nonnull));

#endif
