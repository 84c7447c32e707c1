#ifndef SERIES_ROWS_H
#define SERIES_ROWS_H

#include "series_store.h"

struct codec;

/*
 * Exact rows, window by window: every value of the rows first <= number < first + count, from
 * chunks and tail in one snapshot, put together again. Chunks and blocks are decoded one after the
 * other in memory of their own; only the values of the window stay.
 */
struct row_value {
	int32_t key_id;
	bool is_text;
	double number;
	struct str text; /* JSON text; of an integer beyond 2^53 its digits */
};

struct exact_row {
	int64_t row;
	int64_t step;
	int32_t writer;
	uint32_t value_count;     /* 0: the row is not there, or holds none of the keys */
	struct row_value *values; /* by key id */
};

struct rows_ask {
	int64_t run_id;
	enum stream stream;
	int64_t first;
	uint32_t count;         /* at most ROWS_WINDOW_MAX */
	const int32_t *key_ids; /* none: all */
	size_t key_count;
	const int32_t *writers; /* none: all */
	size_t writer_count;
	int32_t branch; /* as in series_ask */
	int64_t project_id;
};
enum { ROWS_WINDOW_MAX = 1 << 16 };

/*
 * The same, but with fewer rows (one at least) if their texts take more than ROWS_TEXT_BYTES;
 * *ret_count is how many, from the first on.
 */
enum { ROWS_TEXT_BYTES = 16 << 20 };
err_t series_rows_read_some(struct db *db, struct codec *codec, const struct rows_ask *ask,
			    struct exact_row **ret_rows, uint32_t *ret_count)
	__attribute__((warn_unused_result));

/* ret_rows[i] is the row first + i. */
err_t series_rows_read(struct db *db, struct codec *codec, const struct rows_ask *ask,
		       struct exact_row **ret_rows) __attribute__((warn_unused_result));

/* The rows to search for steps from..to: rows first <= number < last, which may be none. */
struct row_span {
	int64_t first;
	int64_t last;
};
struct spans_ask {
	int64_t run_id;
	enum stream stream;
	int32_t key_id; /* that each row has */
	int64_t from, to;
};
err_t series_rows_spans(struct db *db, const struct spans_ask *ask, struct row_span **ret_spans,
			size_t *ret_count) __attribute__((warn_unused_result));

#endif
