#ifndef WANDB_LABELS_H
#define WANDB_LABELS_H

#include "db.h"
#include "name.h"

enum { WANDB_LABEL_SUFFIX_MAX = 3 + NAME_LABEL_MAX };

/*
 * System metrics of a process in shared mode have its label in their keys, "system.cpu/l:rank0", which is taken off when
 * they come and put on again when the SDK reads them. The keys of other writers came without.
 */
struct wandb_label {
	int32_t writer;
	struct str suffix; /* "/l:rank0" */
};
struct wandb_labels {
	struct wandb_label *at; /* by writer */
	size_t count;
};
err_t wandb_labels_read(struct db *db, int64_t run_id, struct wandb_labels *ret_labels)
	__attribute__((nonnull, warn_unused_result));

/* What the writer's keys end with; empty: nothing. */
struct str wandb_labels_suffix(const struct wandb_labels *labels, int32_t writer)
	__attribute__((nonnull));

/* What the key has to end with: nothing where it is no metric. */
struct str wandb_labels_of_key(struct str suffix, struct str key);

#endif
