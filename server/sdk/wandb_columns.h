#ifndef WANDB_COLUMNS_H
#define WANDB_COLUMNS_H

#include "json_out.h"
#include "run.h"
#include "run_documents.h"
#include "sdk_numbers.h"
#include "series_rows.h"

/*
 * The keys of a run's rows as the SDK knows them. What was logged as an object is stored as a key for
 * each of its members, whose names have dots: {"a": {"b": 1}} as "a.b". Readers get those names, but for
 * values with a "_type" (images, histograms, tables), which they get as the objects that they were.
 */
struct wandb_column {
	int32_t key_id;
	struct str name;
	struct str
		top; /* what the row's member is called; the name, or of an object's part the object's */
	struct str rest; /* of an object's part: where in it */
	size_t asked;    /* the number of the key that asks for it */
	uint32_t same;   /* another column of that key; UINT32_MAX: none */
};

struct wandb_columns {
	struct wandb_column *items; /* by name, parts of an object one after the other */
	size_t count, size;
	int32_t *key_ids;  /* ascending */
	uint32_t *item_of; /* of each, its index in `items` */
	size_t key_count; /* of key_ids: one more than columns, perhaps, that only tells where rows are */
	size_t asked;    /* a row has to have so many keys; 0: all keys are asked for */
	bool is_empty;   /* no row can have them */
	int32_t time_id; /* of "_timestamp", which every row has; INT32_MAX: there is no row */
	const struct row_value **slots; /* of one row, for wandb_columns_take() */
	uint64_t *seen; /* by number of a key that is asked for: the last row with it */
	uint64_t row;
	struct str
		suffix; /* of one row: what its metrics' names end with (wandb_labels.h); empty: nothing */
};

struct wandb_columns_ask {
	const struct run *run;
	enum stream stream;
	const struct str *keys; /* none: all */
	size_t key_count;
};
err_t wandb_columns_read(const struct run_reader *reader, const struct wandb_columns_ask *ask,
			 struct wandb_columns *ret_columns) __attribute__((warn_unused_result));

/* The keys of a run and their statistics, by name. */
struct wandb_keys {
	struct wandb_column *items;
	const struct key_stat **stats; /* of each */
	size_t count;
};
err_t wandb_keys_read(const struct run_reader *reader, const struct run *run,
		      const struct key_stats *stats, struct wandb_keys *ret_keys)
	__attribute__((warn_unused_result));

/* False: the row has not all that is asked for. Else its values are in `slots`. */
bool wandb_columns_take(struct wandb_columns *columns, const struct exact_row *row);

/* The members of the row that was taken. */
void wandb_columns_put(const struct wandb_columns *columns, struct json_out *out,
		       enum sdk_numbers numbers);

/* A number or JSON text of a row; within a JSON text NaN and infinities are bare or quoted. */
void wandb_columns_value(struct json_out *out, enum sdk_numbers numbers,
			 const struct row_value *value);

#endif
