#ifndef WANDB_LABELS_H
#define WANDB_LABELS_H

#include "db.h"
#include "name.h"

struct keys_row;
struct run;

enum { WANDB_LABEL_SUFFIX_MAX = 3 + NAME_LABEL_MAX };

/*
 * System metrics of a process in shared mode have its label in their keys, "system.cpu/l:rank0". The label is taken off
 * when they come, and put on again when the SDK reads them. The keys of other writers came without.
 */
struct wandb_label {
	int64_t run_id;
	int32_t writer;
	struct str suffix; /* "/l:rank0" */
};
struct wandb_labels {
	struct wandb_label *at; /* by run and writer */
	size_t count;
};

/* The labels of all writers of a run. */
err_t wandb_labels_read(struct db *db, int64_t run_id, struct wandb_labels *ret_labels)
	__attribute__((nonnull, warn_unused_result));

/* The labels of the writers that these rows are of, in two statements however many runs there are. */
struct wandb_labels_ask {
	const struct run *const *runs; /* that the rows are of */
	size_t run_count;
	const struct keys_row *rows;
	size_t row_count;
};
err_t wandb_labels_read_of_rows(struct db *db, const struct wandb_labels_ask *ask,
				struct wandb_labels *ret_labels)
	__attribute__((nonnull, warn_unused_result));

/* Returns what the writer's keys end with; empty: nothing. */
struct str wandb_labels_suffix(const struct wandb_labels *labels, int64_t run_id, int32_t writer)
	__attribute__((nonnull));

/* Returns what the key has to end with: nothing if it is not a metric. */
struct str wandb_labels_of_key(struct str suffix, struct str key);

#endif
