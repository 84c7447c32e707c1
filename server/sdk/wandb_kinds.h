#ifndef WANDB_KINDS_H
#define WANDB_KINDS_H

#include "run.h"
#include "run_documents.h"

/*
 * How many values of each kind a key of history has. Statistics count numbers, and all else together: of keys
 * with several other kinds the values are looked at, in runs of up to WANDB_KINDS_ROWS_MAX rows.
 */
enum { WANDB_KINDS_ROWS_MAX = 1 << 20 };

enum wandb_kind {
	WANDB_KIND_NUMBER,
	WANDB_KIND_STRING,
	WANDB_KIND_LIST,
	WANDB_KIND_MAP,
	WANDB_KIND_BOOL,
	WANDB_KIND_NIL,
	WANDB_KINDS
};

struct wandb_kinds {
	uint64_t counts[WANDB_KINDS];
};

/* As the SDK calls it. */
const char *wandb_kind_name(enum wandb_kind kind) __attribute__((returns_nonnull));

err_t wandb_kinds_count(const struct run_reader *reader, const struct run *run,
			const struct key_stat *stat, struct wandb_kinds *ret_kinds)
	__attribute__((warn_unused_result));

#endif
