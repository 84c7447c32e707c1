#ifndef WANDB_INPUT_H
#define WANDB_INPUT_H

#include "err.h"
#include "json_doc.h"
#include "run_store.h"

/*
 * The directory row as the processes of a run sent it last. They send all of it with every change, as it was when
 * they began. Members that differ from what was sent before are their changes; the rest stays as users set it.
 */
struct wandb_sent {
	const struct json_doc *doc; /* an object */
	bool is_other;              /* than it was when this was read */
};

/*
 * A change of a run's directory row by the input of upsertBucket. A member that is null or absent changes nothing;
 * *ret_changed tells whether any did. Values that are too long are cut, and noted in the list of values left out.
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
