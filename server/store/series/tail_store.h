#ifndef TAIL_STORE_H
#define TAIL_STORE_H

#include "db.h"
#include "db_row.h"

struct codec;

/* Acknowledged blocks that are not compacted yet, in the slots of a ring. */

enum stream { STREAM_HISTORY = 1, STREAM_EVENTS = 2, STREAM_CONSOLE = 3 };
enum { TAIL_SLOTS = 8 };

/* ---- writing (the flusher's pipeline) ---------------------------------------------------------- */

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
struct db_args tail_store_insert_args(struct arena *a, int16_t slot, const struct tail_row *rows,
				      size_t count);

/* ---- reading ---------------------------------------------------------------------------------- */

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
extern const struct db_row_table pending_table;
/* Oldest first, as much as one compaction handles: so many bytes decoded, or one block. */
enum { PENDING_BLOCKS = 8192, PENDING_BYTES = 64 << 20 };
err_t tail_store_pending(struct db *db, struct codec *codec, int64_t run_id, int64_t after_seq,
			 struct pending_row **ret_rows, size_t *ret_count);

/* Whether all blocks after a number, up to another, are still in the tail. */
err_t tail_store_has_all(struct db *db, int64_t run_id, int64_t after_seq, int64_t seq,
			 bool *ret_there);

/* ---- the ring of slots ------------------------------------------------------------------------ */

struct tail_ring {
	int16_t slot;
	timestamp_us opened_at;
};
err_t tail_store_ring(struct db *db, struct tail_ring *ret_ring);
/* Locks the ring's row; in a transaction. */
err_t tail_store_ring_lock(struct db *db, struct tail_ring *ret_ring);
err_t tail_store_ring_move(struct db *db, int16_t slot, timestamp_us now);
err_t tail_store_slot_bytes(struct db *db, int16_t slot, int64_t *ret_bytes);
/* Whether the slot holds anything, compacted or not. */
err_t tail_store_slot_used(struct db *db, int16_t slot, bool *ret_used);
/* Runs with something in the slot that is not compacted; costs by runs, not by blocks. */
err_t tail_store_slot_runs(struct db *db, int16_t slot, int64_t limit, int64_t **ret_run_ids,
			   size_t *ret_count);
/*
 * Locks writers out, looks again and truncates, in one transaction with a lock timeout. False: a
 * block in it waits, or another transaction reads or writes it now.
 */
err_t tail_store_recycle(struct db *db, int16_t slot, bool *ret_done);

#endif
