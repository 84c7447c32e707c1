#include "console_store.h"

#include "column.h"
#include "store_sql.h"
#include "tail_store.h"

static const struct db_column console_columns[] = {
	DB_COLUMN(struct console_row, part),       DB_COLUMN(struct console_row, writer),
	DB_COLUMN(struct console_row, line_first), DB_COLUMN(struct console_row, seq),
	DB_BYTES(struct console_row, data),
};
static const struct db_row_table console_table = DB_ROW_TABLE(struct console_row, console_columns);

static const struct db_column console_chunk_columns[] = {
	DB_COLUMN(struct console_chunk, writer),
	DB_COLUMN(struct console_chunk, line_first),
	DB_COLUMN(struct console_chunk, seq_last),
	DB_BYTES(struct console_chunk, data),
};
static const struct db_row_table console_chunk_table =
	DB_ROW_TABLE(struct console_chunk, console_chunk_columns);

struct line_before {
	int64_t line_first;
};
static const struct db_column line_before_columns[] = { DB_COLUMN(struct line_before, line_first) };
static const struct db_row_table line_before_table =
	DB_ROW_TABLE(struct line_before, line_before_columns);

static const struct db_column block_columns[] = {
	DB_COLUMN(struct console_block, line_first),
	DB_COLUMN(struct console_block, line_last),
	DB_COLUMN(struct console_block, line_count),
};
static const struct db_row_table console_block_table =
	DB_ROW_TABLE(struct console_block, block_columns);

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
static const struct db_row_table console_waiting_table =
	DB_ROW_TABLE(struct console_waiting, waiting_columns);

static const struct db_column console_span_columns[] = {
	DB_COLUMN(struct console_span, writer),
	DB_COLUMN(struct console_span, line_first),
	DB_COLUMN(struct console_span, span_first),
	DB_COLUMN(struct console_span, span_last),
};
static const struct db_row_table console_span_table =
	DB_ROW_TABLE(struct console_span, console_span_columns);

static const struct db_column console_range_columns[] = {
	DB_COLUMN(struct console_range, time_first),
	DB_COLUMN(struct console_range, time_last),
};
static const struct db_row_table console_range_table =
	DB_ROW_TABLE(struct console_range, console_range_columns);

static const struct db_column console_spread_columns[] = {
	DB_COLUMN(struct console_spread, writer),     DB_COLUMN(struct console_spread, line_first),
	DB_COLUMN(struct console_spread, time_first), DB_COLUMN(struct console_spread, time_last),
	DB_BYTES(struct console_spread, spread),
};
static const struct db_row_table console_spread_table =
	DB_ROW_TABLE(struct console_spread, console_spread_columns);

/* ---- reading ---------------------------------------------------------------------------------- */

err_t console_store_read(struct db *db, const struct console_window *ask,
			 struct console_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_read,
		      DB_ARGS(P_INT8(ask->run_id), P_INT4(ask->writer), P_INT8(ask->from),
			      P_INT8(ask->chunks), P_INT8(ask->bytes)),
		      &console_table, (void **)ret_rows, ret_count);
}

err_t console_store_line_before(struct db *db, int64_t run_id, int32_t writer, int64_t lines,
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

err_t console_store_blocks(struct db *db, int64_t run_id, int32_t writer, int64_t limit,
			   struct console_block **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_blocks_last,
		      DB_ARGS(P_INT8(run_id), P_INT4(writer), P_INT8(limit)), &console_block_table,
		      (void **)ret_rows, ret_count);
}

err_t console_store_waiting(struct db *db, int64_t run_id, const int32_t *writers,
			    size_t writer_count, struct console_waiting **ret_rows,
			    size_t *ret_count)
{
	return db_all(db, &STMT_console_waiting,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_INT4_ARRAY, writers, writer_count)),
		      &console_waiting_table, (void **)ret_rows, ret_count);
}

err_t console_store_held(struct db *db, int64_t run_id, const struct console_waiting *which,
			 size_t which_count, struct pending_row **ret_rows, size_t *ret_count)
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

err_t console_store_spans(struct db *db, const struct console_spans *ask,
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

err_t console_store_range(struct db *db, int64_t run_id, struct console_range *ret_range)
{
	struct console_range *row;
	err_t e = db_first(db, &STMT_console_range, DB_ARGS(P_INT8(run_id)), &console_range_table,
			   (void **)&row);

	if (!e)
		*ret_range = *row;
	return e;
}

err_t console_store_spreads(struct db *db, int64_t run_id, const struct console_spread *after,
			    struct console_spread **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_spreads,
		      DB_ARGS(P_INT8(run_id), P_INT4(after->writer), P_INT8(after->line_first),
			      P_INT8(CONSOLE_SPREADS_AT_ONCE)),
		      &console_spread_table, (void **)ret_rows, ret_count);
}

err_t console_store_after(struct db *db, int64_t run_id, int64_t after_seq, int64_t limit,
			  int64_t bytes, struct pending_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_tail_console_after,
		      DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(limit), P_INT8(bytes)),
		      &pending_table, (void **)ret_rows, ret_count);
}

err_t console_store_tail(struct db *db, int64_t run_id, const int32_t *writers, size_t writer_count,
			 struct pending_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_console_tail,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_INT4_ARRAY, writers, writer_count)),
		      &pending_table, (void **)ret_rows, ret_count);
}

/* ---- compaction ------------------------------------------------------------------------------- */

err_t console_store_chunks(struct db *db, int64_t run_id, const struct console_chunk *asked,
			   size_t n, struct console_chunk **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);

	return db_all(db, &STMT_console_chunks,
		      DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT4_ARRAY, asked, n, writer),
			      COLUMN(a, DB_INT8_ARRAY, asked, n, line_first)),
		      &console_chunk_table, (void **)ret_rows, ret_count);
}

err_t console_store_save(struct db *db, int64_t run_id, const struct console_chunk *rows, size_t n)
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
