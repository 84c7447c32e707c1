#ifndef WANDB_ROWS_H
#define WANDB_ROWS_H

#include "series_store.h"
#include "wandb_columns.h"

/*
 * Rows of a run as JSON objects, by step. Read window by window in memory that each window gives back:
 * what stays is what is answered.
 */
struct wandb_rows_ask {
	const struct run *run;
	enum stream stream;
	const struct str *keys; /* none: all */
	size_t key_count;
	struct series_range steps;
	size_t samples; /* at most so many, evenly spread; 0: all */
	enum sdk_numbers numbers;
};

enum { WANDB_SAMPLES = 500, WANDB_SAMPLES_MAX = 100000, WANDB_ROWS_BYTES = 64 << 20 };

struct wandb_rows {
	struct str *texts;
	size_t count;
};

/* In the connection's arena. */
err_t wandb_rows_read(const struct run_reader *reader, const struct wandb_rows_ask *ask,
		      struct wandb_rows *ret_rows) __attribute__((warn_unused_result));

#endif
