#ifndef CONSOLE_STORE_H
#define CONSOLE_STORE_H

#include "db.h"
#include "db_row.h"
#include "lines.h"

struct pending_row;

/* Console lines as stored: chunks, and blocks of the tail. */

/* ---- reading ---------------------------------------------------------------------------------- */

struct console_row {
	int16_t part;
	int32_t writer;
	int64_t line_first;
	int64_t seq;
	struct str data;
};
enum { CONSOLE_LATER = 3 }; /* a console_row with only the start of the next blocks */
struct console_window {
	int64_t run_id;
	int32_t writer;
	int64_t from;   /* line */
	int64_t chunks; /* at most */
	int64_t bytes;  /* of the tail, decoded, except the block with the first line */
};
/* A writer's lines from a number on. */
err_t console_store_read(struct db *db, const struct console_window *ask,
			 struct console_row **ret_rows, size_t *ret_count);
/* A line from which on the chunks hold at least so many lines; 0 when they never do. */
err_t console_store_line_before(struct db *db, int64_t run_id, int32_t writer, int64_t lines,
				int64_t *ret_from);

/* The positions of blocks of the tail, at most so many, the last to begin first. */
struct console_block {
	int64_t line_first;
	int64_t line_last;
	int32_t line_count;
};
err_t console_store_blocks(struct db *db, int64_t run_id, int32_t writer, int64_t limit,
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
err_t console_store_waiting(struct db *db, int64_t run_id, const int32_t *writers,
			    size_t writer_count, struct console_waiting **ret_rows,
			    size_t *ret_count);
/* The data of some of them, in their order of seq. */
err_t console_store_held(struct db *db, int64_t run_id, const struct console_waiting *which,
			 size_t which_count, struct pending_row **ret_rows, size_t *ret_count);

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
err_t console_store_spans(struct db *db, const struct console_spans *ask,
			  struct console_span **ret_rows, size_t *ret_count);

/* The time range of lines in chunks; without any the end is before the beginning. */
struct console_range {
	int64_t time_first; /* microseconds */
	int64_t time_last;
};
err_t console_store_range(struct db *db, int64_t run_id, struct console_range *ret_range);

/* The distribution of each chunk's lines over its time, in the order of writers and lines. */
struct console_spread {
	int32_t writer;
	int64_t line_first;
	int64_t time_first;
	int64_t time_last;
	struct str spread; /* line_spread.h; empty: not known */
};
enum { CONSOLE_SPREADS_AT_ONCE = 2048 };
err_t console_store_spreads(struct db *db, int64_t run_id, const struct console_spread *after,
			    struct console_spread **ret_rows, size_t *ret_count);

/*
 * Console blocks after a number, also compacted ones: for live listeners. At least one if there are
 * any; no further one once those read hold so many bytes.
 */
err_t console_store_after(struct db *db, int64_t run_id, int64_t after_seq, int64_t limit,
			  int64_t bytes, struct pending_row **ret_rows, size_t *ret_count);
/* Blocks of the run, or of some of its writers, that are not compacted; by writer, oldest first. */
err_t console_store_tail(struct db *db, int64_t run_id, const int32_t *writers, size_t writer_count,
			 struct pending_row **ret_rows, size_t *ret_count);

/* ---- compaction ------------------------------------------------------------------------------- */

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
err_t console_store_chunks(struct db *db, int64_t run_id, const struct console_chunk *asked,
			   size_t asked_count, struct console_chunk **ret_rows, size_t *ret_count);
err_t console_store_save(struct db *db, int64_t run_id, const struct console_chunk *rows,
			 size_t count);

#endif
