#include "series_store.h"

#include <assert.h>
#include <stdlib.h>

#include "column.h"
#include "run_store.h"
#include "store_sql.h"

enum { RECYCLE_TIMEOUT_MS = 10000, RECYCLE_LOCK_TIMEOUT_MS = 100 };

static const struct db_column console_columns[] = {
	DB_COLUMN(struct console_row, part),       DB_COLUMN(struct console_row, writer),
	DB_COLUMN(struct console_row, line_first), DB_COLUMN(struct console_row, seq),
	DB_BYTES(struct console_row, data),
};
const struct db_row_table console_table = DB_ROW_TABLE(struct console_row, console_columns);

static const struct db_column open_columns[] = {
	DB_COLUMN(struct chunk_row, stream),      DB_COLUMN(struct chunk_row, key_id),
	DB_COLUMN(struct chunk_row, kind),        DB_COLUMN(struct chunk_row, writer),
	DB_COLUMN(struct chunk_row, index_first), DB_BYTES(struct chunk_row, data),
};
const struct db_row_table chunk_open_table = DB_ROW_TABLE(struct chunk_row, open_columns);

static const struct db_column stream_keys_columns[] = {
	DB_COLUMN(struct stream_keys, stream),
	DB_COLUMN(struct stream_keys, writer),
	DB_BYTES(struct stream_keys, document),
};
const struct db_row_table stream_keys_table = DB_ROW_TABLE(struct stream_keys, stream_keys_columns);

static const struct db_column console_chunk_columns[] = {
	DB_COLUMN(struct console_chunk, writer),
	DB_COLUMN(struct console_chunk, line_first),
	DB_COLUMN(struct console_chunk, seq_last),
	DB_BYTES(struct console_chunk, data),
};
const struct db_row_table console_chunk_table =
	DB_ROW_TABLE(struct console_chunk, console_chunk_columns);

struct line_before {
	int64_t line_first;
};
static const struct db_column line_before_columns[] = { DB_COLUMN(struct line_before, line_first) };
const struct db_row_table line_before_table = DB_ROW_TABLE(struct line_before, line_before_columns);

static const struct db_column block_columns[] = {
	DB_COLUMN(struct console_block, line_first),
	DB_COLUMN(struct console_block, line_last),
	DB_COLUMN(struct console_block, line_count),
};
const struct db_row_table console_block_table = DB_ROW_TABLE(struct console_block, block_columns);

static const struct db_column waiting_columns[] = {
	DB_COLUMN(struct console_waiting, seq),
	DB_COLUMN(struct console_waiting, slot),
	DB_COLUMN(struct console_waiting, writer),
	DB_COLUMN(struct console_waiting, line_first),
	DB_COLUMN(struct console_waiting, line_last),
	DB_COLUMN(struct console_waiting, size_bytes),
	DB_COLUMN(struct console_waiting, time_first),
	DB_COLUMN(struct console_waiting, time_last),
};
const struct db_row_table console_waiting_table =
	DB_ROW_TABLE(struct console_waiting, waiting_columns);

static const struct db_column console_span_columns[] = {
	DB_COLUMN(struct console_span, writer),
	DB_COLUMN(struct console_span, line_first),
	DB_COLUMN(struct console_span, span_first),
	DB_COLUMN(struct console_span, span_last),
};
const struct db_row_table console_span_table =
	DB_ROW_TABLE(struct console_span, console_span_columns);

static const struct db_column console_range_columns[] = {
	DB_COLUMN(struct console_range, time_first),
	DB_COLUMN(struct console_range, time_last),
};
const struct db_row_table console_range_table =
	DB_ROW_TABLE(struct console_range, console_range_columns);

static const struct db_column console_spread_columns[] = {
	DB_COLUMN(struct console_spread, writer),     DB_COLUMN(struct console_spread, line_first),
	DB_COLUMN(struct console_spread, time_first), DB_COLUMN(struct console_spread, time_last),
	DB_BYTES(struct console_spread, spread),
};
const struct db_row_table console_spread_table =
	DB_ROW_TABLE(struct console_spread, console_spread_columns);

static const struct db_column steps_place_columns[] = {
	DB_COLUMN(struct steps_place, first),
	DB_COLUMN(struct steps_place, last),
	DB_COLUMN(struct steps_place, compacted),
};
const struct db_row_table steps_place_table = DB_ROW_TABLE(struct steps_place, steps_place_columns);

static const struct db_column ring_columns[] = {
	DB_COLUMN(struct tail_ring, slot),
	DB_COLUMN(struct tail_ring, opened_at),
};
const struct db_row_table tail_ring_table = DB_ROW_TABLE(struct tail_ring, ring_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

struct slot_bytes {
	int64_t bytes;
};
static const struct db_column slot_bytes_columns[] = { DB_COLUMN(struct slot_bytes, bytes) };
const struct db_row_table slot_bytes_table = DB_ROW_TABLE(struct slot_bytes, slot_bytes_columns);

extern const struct db_row_table pending_table;

/* ---- the tail --------------------------------------------------------------------------------- */

struct db_args series_store_tail_args(struct arena *a, int16_t slot, const struct tail_row *rows,
				      size_t n)
{
	const struct db_param params[] = {
		P_INT2(slot),
		COLUMN(a, DB_INT8_ARRAY, rows, n, run_id),
		COLUMN(a, DB_INT8_ARRAY, rows, n, seq),
		COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
		COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
		COLUMN(a, DB_INT8_ARRAY, rows, n, row_first),
		COLUMN(a, DB_INT4_ARRAY, rows, n, row_count),
		COLUMN(a, DB_INT8_ARRAY, rows, n, step_base),
		COLUMN(a, DB_INT8_ARRAY, rows, n, size_bytes),
		COLUMN(a, DB_BYTEA_ARRAY, rows, n, data),
		COLUMN(a, DB_BYTEA_ARRAY, rows, n, marks),
		COLUMN(a, DB_INT8_ARRAY, rows, n, time_first),
		COLUMN(a, DB_INT8_ARRAY, rows, n, time_last),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

/* ---- reading ---------------------------------------------------------------------------------- */

err_t series_store_read_console(struct db *db, const struct console_window *ask,
				struct console_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_read,
		      DB_ARGS(P_INT8(ask->run_id), P_INT4(ask->writer), P_INT8(ask->from),
			      P_INT8(ask->chunks), P_INT8(ask->bytes)),
		      &console_table, (void **)ret_rows, ret_count);
}

err_t series_store_place_steps(struct db *db, const struct steps_ask *ask,
			       struct steps_place *ret_place)
{
	struct steps_place *row;
	err_t e;

	e = db_first(db, &STMT_series_rows_of_steps,
		     DB_ARGS(P_INT8(ask->run_id), P_INT2((int16_t)ask->stream), P_INT4(ask->key_id),
			     P_INT8(ask->steps.from), P_INT8(ask->steps.to)),
		     &steps_place_table, (void **)&row);
	if (!e)
		*ret_place = *row;
	return e;
}

err_t series_store_console_before(struct db *db, int64_t run_id, int32_t writer, int64_t lines,
				  int64_t *ret_from)
{
	struct line_before *row;
	err_t e;

	e = db_first(db, &STMT_console_line_before,
		     DB_ARGS(P_INT8(run_id), P_INT4(writer), P_INT8(lines)), &line_before_table,
		     (void **)&row);
	if (!e)
		*ret_from = row->line_first;
	return e;
}

err_t series_store_console_blocks(struct db *db, int64_t run_id, int32_t writer, int64_t limit,
				  struct console_block **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_blocks_last,
		      DB_ARGS(P_INT8(run_id), P_INT4(writer), P_INT8(limit)), &console_block_table,
		      (void **)ret_rows, ret_count);
}

err_t series_store_console_waiting(struct db *db, int64_t run_id, const int32_t *writers,
				   size_t writer_count, struct console_waiting **ret_rows,
				   size_t *ret_count)
{
	return db_all(db, &STMT_console_waiting,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_INT4_ARRAY, writers, writer_count)),
		      &console_waiting_table, (void **)ret_rows, ret_count);
}

err_t series_store_console_held(struct db *db, int64_t run_id, const struct console_waiting *which,
				size_t which_count, struct pending_row **ret_rows,
				size_t *ret_count)
{
	struct arena *a = db_arena(db);

	return db_all(db, &STMT_console_held,
		      DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT8_ARRAY, which, which_count, seq),
			      COLUMN(a, DB_INT2_ARRAY, which, which_count, slot)),
		      &pending_table, (void **)ret_rows, ret_count);
}

static const struct db_stmt *const span_statements[2][2] = {
	[LINES_BY_TIME] = { &STMT_console_spans_up, &STMT_console_spans_down },
	[LINES_BY_ARRIVAL] = { &STMT_console_arrivals_up, &STMT_console_arrivals_down },
};

err_t series_store_console_spans(struct db *db, const struct console_spans *ask,
				 struct console_span **ret_rows, size_t *ret_count)
{
	const struct console_span first = { -1, -1, INT64_MIN, INT64_MIN };
	const struct console_span last = { INT32_MAX, INT64_MAX, INT64_MAX, INT64_MAX };
	const struct console_span *after = ask->latest_first ? &last : &first;
	const struct db_stmt *stmt = span_statements[ask->by][ask->latest_first];

	if (ask->after)
		after = ask->after;
	return db_all(db, stmt,
		      DB_ARGS(P_INT8(ask->run_id),
			      P_ARRAY(DB_INT4_ARRAY, ask->writers, ask->writer_count),
			      P_INT8(ask->from), P_INT8(ask->to),
			      P_INT8(ask->latest_first ? after->span_last : after->span_first),
			      P_INT4(after->writer), P_INT8(after->line_first),
			      P_INT8(CONSOLE_SPANS_AT_ONCE)),
		      &console_span_table, (void **)ret_rows, ret_count);
}

err_t series_store_console_range(struct db *db, int64_t run_id, struct console_range *ret_range)
{
	struct console_range *row;
	err_t e = db_first(db, &STMT_console_range, DB_ARGS(P_INT8(run_id)), &console_range_table,
			   (void **)&row);

	if (!e)
		*ret_range = *row;
	return e;
}

err_t series_store_console_spreads(struct db *db, int64_t run_id,
				   const struct console_spread *after,
				   struct console_spread **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_spreads,
		      DB_ARGS(P_INT8(run_id), P_INT4(after->writer), P_INT8(after->line_first),
			      P_INT8(CONSOLE_SPREADS_AT_ONCE)),
		      &console_spread_table, (void **)ret_rows, ret_count);
}

/* ---- compaction ------------------------------------------------------------------------------- */

err_t series_store_console_after(struct db *db, int64_t run_id, int64_t after_seq, int64_t limit,
				 int64_t bytes, struct pending_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_tail_console_after,
		      DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(limit), P_INT8(bytes)),
		      &pending_table, (void **)ret_rows, ret_count);
}

err_t series_store_console_tail(struct db *db, int64_t run_id, const int32_t *writers,
				size_t writer_count, struct pending_row **ret_rows,
				size_t *ret_count)
{
	return db_all(db, &STMT_console_tail,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_INT4_ARRAY, writers, writer_count)),
		      &pending_table, (void **)ret_rows, ret_count);
}

err_t series_store_tail_has_all(struct db *db, int64_t run_id, int64_t after_seq, int64_t seq,
				bool *ret_there)
{
	struct there_row *row;
	err_t e;

	e = db_first(db, &STMT_tail_has_all,
		     DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(seq)), &there_table,
		     (void **)&row);
	if (!e)
		*ret_there = row && row->there;
	return e;
}

static struct db_args open_args(struct arena *a, int64_t run_id, const struct open_values *rows,
				size_t n)
{
	const struct db_param params[] = {
		P_INT8(run_id),
		COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
		COLUMN(a, DB_INT4_ARRAY, rows, n, key_id),
		COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
		COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
		COLUMN(a, DB_INT8_ARRAY, rows, n, from),
		COLUMN(a, DB_INT8_ARRAY, rows, n, next),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t series_store_open_chunks(struct db *db, int64_t run_id, const struct open_values *asked,
			       size_t n, struct chunk_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_chunk_open, open_args(db_arena(db), run_id, asked, n),
		      &chunk_open_table, (void **)ret_rows, ret_count);
}

err_t series_store_drop_chunks(struct db *db, int64_t run_id, const struct open_values *rows,
			       size_t n)
{
	if (!n)
		return NULL;
	return db_exec(db, &STMT_chunk_drop, open_args(db_arena(db), run_id, rows, n), NULL);
}

err_t series_store_save_chunks(struct db *db, int64_t run_id, const struct chunk_row *rows,
			       size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_chunk_save,
		       DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, key_id),
			       COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, index_first),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, value_count),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, row_first),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, row_last),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, step_min),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, step_max),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, roll),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, data)),
		       NULL);
}

err_t series_store_list_keys(struct db *db, int64_t run_id, const struct stream_keys *asked,
			     size_t n, struct stream_keys **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);

	return db_all(db, &STMT_keys_list,
		      DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, asked, n, stream),
			      COLUMN(a, DB_INT4_ARRAY, asked, n, writer)),
		      &stream_keys_table, (void **)ret_rows, ret_count);
}

err_t series_store_save_keys(struct db *db, int64_t run_id, const struct stream_keys *rows,
			     size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_keys_save,
		       DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, document)),
		       NULL);
}

err_t series_store_console_chunks(struct db *db, int64_t run_id, const struct console_chunk *asked,
				  size_t n, struct console_chunk **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);

	return db_all(db, &STMT_console_chunks,
		      DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT4_ARRAY, asked, n, writer),
			      COLUMN(a, DB_INT8_ARRAY, asked, n, line_first)),
		      &console_chunk_table, (void **)ret_rows, ret_count);
}

err_t series_store_save_console(struct db *db, int64_t run_id, const struct console_chunk *rows,
				size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_console_save,
		       DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, line_first),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, line_count),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, seq_last),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, time_first),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, time_last),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, arrival_first),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, arrival_last),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, spread),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, data)),
		       NULL);
}

err_t series_store_compacted(struct db *db, int64_t run_id, const struct compacted *done)
{
	return db_exec(db, &STMT_compaction_save,
		       DB_ARGS(P_INT8(run_id), P_INT8(done->seq), P_INT4(done->blocks),
			       P_INT8(done->bytes), P_INT8(done->console_chunks),
			       P_INT8(done->console_lines)),
		       NULL);
}

/* ---- the ring --------------------------------------------------------------------------------- */

static err_t read_ring(struct db *db, const struct db_stmt *stmt, struct tail_ring *ret_ring)
{
	void *row;
	err_t e;

	e = db_first(db, stmt, DB_NO_ARGS, &tail_ring_table, &row);
	if (e)
		return e;
	if (!row)
		return err_new(db_arena(db), ERR_INTERNAL, "the table \"tail_ring\" is empty");
	*ret_ring = *(struct tail_ring *)row;
	return NULL;
}

err_t series_store_ring(struct db *db, struct tail_ring *ret_ring)
{
	return read_ring(db, &STMT_tail_ring_read, ret_ring);
}

err_t series_store_ring_lock(struct db *db, struct tail_ring *ret_ring)
{
	return read_ring(db, &STMT_tail_ring_lock, ret_ring);
}

err_t series_store_ring_move(struct db *db, int16_t slot, timestamp_us now)
{
	return db_exec(db, &STMT_tail_ring_move, DB_ARGS(P_INT2(slot), P_TIME(now)), NULL);
}

err_t series_store_slot_bytes(struct db *db, int16_t slot, int64_t *ret_bytes)
{
	struct slot_bytes *row;
	err_t e;

	e = db_first(db, &STMT_tail_slot_bytes, DB_ARGS(P_INT2(slot)), &slot_bytes_table,
		     (void **)&row);
	if (!e)
		*ret_bytes = row ? row->bytes : 0;
	return e;
}

err_t series_store_slot_used(struct db *db, int16_t slot, bool *ret_used)
{
	struct there_row *row;
	err_t e;

	e = db_first(db, &STMT_tail_slot_used, DB_ARGS(P_INT2(slot)), &there_table, (void **)&row);
	if (!e)
		*ret_used = row && row->there;
	return e;
}

err_t series_store_slot_runs(struct db *db, int16_t slot, int64_t limit, int64_t **ret_run_ids,
			     size_t *ret_count)
{
	return db_all(db, &STMT_tail_slot_runs, DB_ARGS(P_INT2(slot), P_INT8(limit)), &run_id_table,
		      (void **)ret_run_ids, ret_count);
}

static const struct db_stmt *lock_stmt(int16_t slot)
{
	const struct db_stmt *const stmts[TAIL_SLOTS] = {
		&STMT_tail_lock_0, &STMT_tail_lock_1, &STMT_tail_lock_2, &STMT_tail_lock_3,
		&STMT_tail_lock_4, &STMT_tail_lock_5, &STMT_tail_lock_6, &STMT_tail_lock_7,
	};

	assert(slot >= 0 && slot < TAIL_SLOTS);
	return stmts[slot];
}

static const struct db_stmt *truncate_stmt(int16_t slot)
{
	const struct db_stmt *const stmts[TAIL_SLOTS] = {
		&STMT_tail_truncate_0, &STMT_tail_truncate_1, &STMT_tail_truncate_2,
		&STMT_tail_truncate_3, &STMT_tail_truncate_4, &STMT_tail_truncate_5,
		&STMT_tail_truncate_6, &STMT_tail_truncate_7,
	};

	assert(slot >= 0 && slot < TAIL_SLOTS);
	return stmts[slot];
}

/* TRUNCATE locks readers out, so it comes only after all checks: until then they go on. */
static err_t recycle_locked(struct db *db, int16_t slot, bool *ret_done)
{
	int64_t *pending;
	size_t count;
	err_t e;

	e = db_exec(db, lock_stmt(slot), DB_NO_ARGS, NULL);
	if (!e)
		e = series_store_slot_runs(db, slot, 1, &pending, &count);
	if (e || count)
		return e;
	*ret_done = true;
	return db_exec(db, truncate_stmt(slot), DB_NO_ARGS, NULL);
}

err_t series_store_recycle(struct db *db, int16_t slot, bool *ret_done)
{
	err_t e;

	*ret_done = false;
	e = db_begin(db, RECYCLE_TIMEOUT_MS, RECYCLE_LOCK_TIMEOUT_MS);
	if (!e)
		e = recycle_locked(db, slot, ret_done);
	if (!e)
		return db_commit(db);
	db_rollback(db);
	*ret_done = false;
	/* a deadlock: another transaction read the slot and waits to write a late block into it */
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ? NULL : e;
}
