#ifndef SERIES_STORE_H
#define SERIES_STORE_H

#include "db.h"
#include "db_row.h"
#include "tail_store.h"

struct codec;

/* Reads numbers, system metrics and key statistics: chunks and tail together. */

/*
 * A chunk (part 1) or a block of the tail (part 2). If chunks are read only for their cells, data
 * are those, and kind, row_first and step_base are not set. For runs that were rewound or forked,
 * the parts of the branch asked for follow (part 3, see series_branch.h).
 */
struct series_row {
	int16_t part;
	int64_t run_id;
	int32_t key_id;
	int16_t kind; /* of a chunk: enum chunk_kind */
	int32_t writer;
	int64_t index_first; /* of a block: seq */
	int32_t value_count; /* of a block: rows */
	int64_t row_first;
	int64_t step_base;
	struct str data;
};
enum { SERIES_CHUNK = 1, SERIES_BLOCK = 2, SERIES_BRANCH = 3, SERIES_ELSEWHERE = 4 };

/* The first and the last that are asked for. */
struct series_range {
	int64_t from;
	int64_t to;
};

struct series_ask {
	const int64_t *run_ids;
	size_t run_count;
	enum stream stream;
	const int32_t *key_ids; /* by rows: none for all */
	size_t key_count;
	const int32_t *writers; /* none: all */
	size_t writer_count;
	int32_t branch;     /* its number + 1; 0: that is written into; or SERIES_NO_BRANCH */
	int64_t project_id; /* of the keys' numbers; ERR_GONE if a run is of another; 0: any */
};
enum { SERIES_NO_BRANCH = -1 }; /* only what is in the run itself, of all branches */
/*
 * Chunks and tail in one snapshot: chunks first, by run, key, kind, writer and index, then blocks,
 * of each run oldest first. Chunks have only the cells of numbers.
 */
err_t series_store_read(struct db *db, struct codec *codec, const struct series_ask *ask,
			struct series_row **ret_rows, size_t *ret_count);
/* For chunks that overlap both ranges, the numbers; in the same order. */
err_t series_store_read_values(struct db *db, const struct series_ask *ask,
			       struct series_range steps, struct series_range rows,
			       struct series_row **ret_rows, size_t *ret_count);
/* The same, each key with ranges of its own. */
struct series_ranges {
	struct series_range steps;
	struct series_range rows;
};
err_t series_store_read_values_apart(struct db *db, const struct series_ask *ask,
				     const struct series_ranges *of_keys,
				     struct series_row **ret_rows, size_t *ret_count);
/* Chunks, of texts too, and tail of the first of the runs by rows. */
err_t series_store_read_rows(struct db *db, struct codec *codec, const struct series_ask *ask,
			     struct series_range rows, struct series_row **ret_rows,
			     size_t *ret_count);

/* Key statistics of a writer (part 1) or a block that is not in them yet (part 2). */
struct keys_row {
	int64_t run_id;
	int16_t part;
	int32_t writer;
	int64_t seq;
	int32_t row_count;
	int64_t row_first;
	int64_t step_base;
	struct str data;
	int32_t writer_first; /* blocks of writers before it are left out */
};
struct keys_ask {
	const int64_t *run_ids;
	size_t run_count;
	enum stream stream;
	int32_t branch;     /* 0: the current one; else its number + 1, and all of the run itself */
	int64_t bytes;      /* runs after others that take more are left out */
	int64_t project_id; /* as in series_ask */
};
/* By run_id. */
err_t series_store_read_keys(struct db *db, struct codec *codec, const struct keys_ask *ask,
			     struct keys_row **ret_rows, size_t *ret_count);

/*
 * The positions of rows with steps of a range: from `first` to `last`, and all after `compacted`,
 * where there is no index. `key_id` is of a key that every row has.
 */
struct steps_extent {
	int64_t first;
	int64_t last;
	int64_t compacted;
};
struct steps_ask {
	int64_t run_id;
	enum stream stream;
	int32_t key_id;
	struct series_range steps;
};
err_t series_store_find_steps(struct db *db, const struct steps_ask *ask,
			      struct steps_extent *ret_extent);

#endif
