#ifndef SERIES_STORE_H
#define SERIES_STORE_H

#include "db.h"
#include "db_row.h"
#include "lines.h"

struct codec;

/* Numbers, system metrics and console as stored: the tail, chunks, key statistics. */

enum stream { STREAM_HISTORY = 1, STREAM_EVENTS = 2, STREAM_CONSOLE = 3 };
enum chunk_kind { CHUNK_NUMBERS = 1, CHUNK_TEXTS = 2 };
enum { TAIL_SLOTS = 8 };

/* ---- writing the tail (the flusher's pipeline) ------------------------------------------------- */

/*
 * As a writer: blocks of several (series/pack.h). Readers get its blocks, each with its own writer.
 */
enum { TAIL_PACK = -1 };

struct tail_row {
	int64_t run_id;
	int64_t seq;
	int16_t kind; /* enum stream */
	int32_t writer;
	int64_t row_first; /* console: the smallest line number */
	int32_t row_count;
	int64_t step_base;  /* the run's last step before it; console: the greatest line number */
	int64_t size_bytes; /* decoded */
	int64_t time_first; /* console: of its lines, the least and the greatest */
	int64_t time_last;
	struct str data;
	struct str marks; /* of writers, see writer_marks.h; empty: none */
};
struct db_args series_store_tail_args(struct arena *a, int16_t slot, const struct tail_row *rows,
				      size_t count);

/* ---- reading ---------------------------------------------------------------------------------- */

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
struct steps_place {
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
err_t series_store_place_steps(struct db *db, const struct steps_ask *ask,
			       struct steps_place *ret_place);

struct console_row {
	int16_t part;
	int32_t writer;
	int64_t line_first;
	int64_t seq;
	struct str data;
};
enum { SERIES_LATER = 3 }; /* a console_row with only the start of the next blocks */
struct console_window {
	int64_t run_id;
	int32_t writer;
	int64_t from;   /* line */
	int64_t chunks; /* at most */
	int64_t bytes;  /* of the tail, decoded, except the block with the first line */
};
/* A writer's lines from a number on. */
err_t series_store_read_console(struct db *db, const struct console_window *ask,
				struct console_row **ret_rows, size_t *ret_count);
/* A line from which on the chunks hold at least so many lines; 0 when they never do. */
err_t series_store_console_before(struct db *db, int64_t run_id, int32_t writer, int64_t lines,
				  int64_t *ret_from);

/* The positions of blocks of the tail, at most so many, the last to begin first. */
struct console_block {
	int64_t line_first;
	int64_t line_last;
	int32_t line_count;
};
err_t series_store_console_blocks(struct db *db, int64_t run_id, int32_t writer, int64_t limit,
				  struct console_block **ret_rows, size_t *ret_count);

/* The positions of blocks in the tail, and their spans of lines and of time. */
struct console_waiting {
	int64_t seq;
	int16_t slot;
	int32_t writer;
	int64_t line_first;
	int64_t line_last;
	int64_t size_bytes; /* decoded */
	int64_t time_first; /* microseconds; all times for a block without them */
	int64_t time_last;
};
/* For the run, or for some of its writers, by writer, oldest first. */
err_t series_store_console_waiting(struct db *db, int64_t run_id, const int32_t *writers,
				   size_t writer_count, struct console_waiting **ret_rows,
				   size_t *ret_count);
struct pending_row;
/* The data of some of them, in their order of seq. */
err_t series_store_console_held(struct db *db, int64_t run_id, const struct console_waiting *which,
				size_t which_count, struct pending_row **ret_rows,
				size_t *ret_count);

/*
 * The chunks with lines of a span of time or arrival, in the order of
 * their beginnings or of their ends.
 */
struct console_span {
	int32_t writer;
	int64_t line_first;
	int64_t span_first; /* microseconds, or blocks of the tail */
	int64_t span_last;
};
struct console_spans {
	int64_t run_id;
	const int32_t *writers; /* none: all */
	size_t writer_count;
	enum line_order by;
	int64_t from;
	int64_t to;
	bool latest_first;
	const struct console_span *after; /* NULL: from the first on */
};
enum { CONSOLE_SPANS_AT_ONCE = 256 };
err_t series_store_console_spans(struct db *db, const struct console_spans *ask,
				 struct console_span **ret_rows, size_t *ret_count);

/* The time range of lines in chunks; without any the end is before the beginning. */
struct console_range {
	int64_t time_first; /* microseconds */
	int64_t time_last;
};
err_t series_store_console_range(struct db *db, int64_t run_id, struct console_range *ret_range);

/* The distribution of each chunk's lines over its time, in the order of writers and lines. */
struct console_spread {
	int32_t writer;
	int64_t line_first;
	int64_t time_first;
	int64_t time_last;
	struct str spread; /* line_spread.h; empty: not known */
};
enum { CONSOLE_SPREADS_AT_ONCE = 2048 };
err_t series_store_console_spreads(struct db *db, int64_t run_id,
				   const struct console_spread *after,
				   struct console_spread **ret_rows, size_t *ret_count);

/* ---- compaction ------------------------------------------------------------------------------- */

struct pending_row {
	int64_t seq;
	int16_t kind;
	int32_t writer;
	int64_t row_first;
	int32_t row_count;
	int64_t step_base;
	int64_t size_bytes; /* decoded */
	int64_t time_first; /* console, only for verify; both 0: not known */
	int64_t time_last;
	struct str data;
};
/* Oldest first, as much as one compaction handles: so many bytes decoded, or one block. */
enum { PENDING_BLOCKS = 8192, PENDING_BYTES = 64 << 20 };
err_t series_store_pending(struct db *db, struct codec *codec, int64_t run_id, int64_t after_seq,
			   struct pending_row **ret_rows, size_t *ret_count);

/*
 * Console blocks after a number, also compacted ones: for live listeners. At least one if there are
 * any; no further one once those read hold so many bytes.
 */
err_t series_store_console_after(struct db *db, int64_t run_id, int64_t after_seq, int64_t limit,
				 int64_t bytes, struct pending_row **ret_rows, size_t *ret_count);
/* Blocks of the run, or of some of its writers, that are not compacted; by writer, oldest first. */
err_t series_store_console_tail(struct db *db, int64_t run_id, const int32_t *writers,
				size_t writer_count, struct pending_row **ret_rows,
				size_t *ret_count);
/* Whether all blocks after a number, up to another, are still in the tail. */
err_t series_store_tail_has_all(struct db *db, int64_t run_id, int64_t after_seq, int64_t seq,
				bool *ret_there);

struct chunk_row {
	int16_t stream;
	int32_t key_id;
	int16_t kind;
	int32_t writer;
	int64_t index_first;
	int32_t value_count;
	int64_t row_first;
	int64_t row_last;
	int64_t step_min;
	int64_t step_max;
	struct str roll; /* empty: none */
	struct str data;
};

/* For one key of one writer: the values from index `from` on, when `next` are there. */
struct open_values {
	int16_t stream;
	int32_t key_id;
	int16_t kind;
	int32_t writer;
	int64_t from;
	int64_t next;
};
/* The chunks that have them and are to be written again; by stream, writer, key, kind, index. */
err_t series_store_open_chunks(struct db *db, int64_t run_id, const struct open_values *asked,
			       size_t asked_count, struct chunk_row **ret_rows, size_t *ret_count);
/* Drops these chunks, except the first of each. */
err_t series_store_drop_chunks(struct db *db, int64_t run_id, const struct open_values *rows,
			       size_t count);
err_t series_store_save_chunks(struct db *db, int64_t run_id, const struct chunk_row *rows,
			       size_t count);

struct stream_keys {
	int16_t stream;
	int32_t writer;
	struct str document;
};
/* The keys asked for, by stream and writer. */
err_t series_store_list_keys(struct db *db, int64_t run_id, const struct stream_keys *asked,
			     size_t asked_count, struct stream_keys **ret_rows, size_t *ret_count);
err_t series_store_save_keys(struct db *db, int64_t run_id, const struct stream_keys *rows,
			     size_t count);

struct console_chunk {
	int32_t writer;
	int64_t line_first;
	int32_t line_count;
	int64_t seq_last;
	int64_t time_first; /* microseconds */
	int64_t time_last;
	int64_t arrival_first; /* blocks of the tail */
	int64_t arrival_last;
	struct str spread; /* line_spread.h */
	struct str data;
};
/* The ones that exist, by writer and line. */
err_t series_store_console_chunks(struct db *db, int64_t run_id, const struct console_chunk *asked,
				  size_t asked_count, struct console_chunk **ret_rows,
				  size_t *ret_count);
err_t series_store_save_console(struct db *db, int64_t run_id, const struct console_chunk *rows,
				size_t count);

/* All up to `seq` is compacted. */
struct compacted {
	int64_t seq;
	int32_t blocks;         /* that leave the tail's count */
	int64_t bytes;          /* of them, decoded */
	int64_t console_chunks; /* that there are more now */
	int64_t console_lines;  /* the same of lines in chunks */
};
/* The run is locked. */
err_t series_store_compacted(struct db *db, int64_t run_id, const struct compacted *done);

/* ---- the ring of slots ------------------------------------------------------------------------ */

struct tail_ring {
	int16_t slot;
	timestamp_us opened_at;
};
err_t series_store_ring(struct db *db, struct tail_ring *ret_ring);
/* Locks the ring's row; in a transaction. */
err_t series_store_ring_lock(struct db *db, struct tail_ring *ret_ring);
err_t series_store_ring_move(struct db *db, int16_t slot, timestamp_us now);
err_t series_store_slot_bytes(struct db *db, int16_t slot, int64_t *ret_bytes);
/* Whether the slot holds anything, compacted or not. */
err_t series_store_slot_used(struct db *db, int16_t slot, bool *ret_used);
/* Runs with something in the slot that is not compacted; costs by runs, not by blocks. */
err_t series_store_slot_runs(struct db *db, int16_t slot, int64_t limit, int64_t **ret_run_ids,
			     size_t *ret_count);
/*
 * Locks writers out, looks again and truncates, in one transaction with a lock timeout. False: a
 * block in it waits, or another transaction reads or writes it now.
 */
err_t series_store_recycle(struct db *db, int16_t slot, bool *ret_done);

#endif
