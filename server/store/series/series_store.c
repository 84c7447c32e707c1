/* Reads chunks and tail: each block of a pack becomes a row of its own. */
#include "series_store.h"

#include <stdlib.h>

#include "column.h"
#include "store_sql.h"
#include "tail_packs.h"

static const struct db_column series_cells_columns[] = {
	DB_COLUMN(struct series_row, part),        DB_COLUMN(struct series_row, run_id),
	DB_NULLABLE(struct series_row, key_id),    DB_COLUMN(struct series_row, writer),
	DB_COLUMN(struct series_row, index_first), DB_COLUMN(struct series_row, value_count),
	DB_NULLABLE(struct series_row, row_first), DB_NULLABLE(struct series_row, step_base),
	DB_BYTES(struct series_row, data),
};
const struct db_row_table series_cells_table =
	DB_ROW_TABLE(struct series_row, series_cells_columns);

static const struct db_column series_columns[] = {
	DB_COLUMN(struct series_row, part),        DB_COLUMN(struct series_row, run_id),
	DB_COLUMN(struct series_row, key_id),      DB_COLUMN(struct series_row, kind),
	DB_COLUMN(struct series_row, writer),      DB_COLUMN(struct series_row, index_first),
	DB_COLUMN(struct series_row, value_count), DB_COLUMN(struct series_row, row_first),
	DB_COLUMN(struct series_row, step_base),   DB_BYTES(struct series_row, data),
};
const struct db_row_table series_table = DB_ROW_TABLE(struct series_row, series_columns);

static const struct db_column keys_columns[] = {
	DB_COLUMN(struct keys_row, run_id),       DB_COLUMN(struct keys_row, part),
	DB_COLUMN(struct keys_row, writer),       DB_COLUMN(struct keys_row, seq),
	DB_COLUMN(struct keys_row, row_count),    DB_COLUMN(struct keys_row, row_first),
	DB_COLUMN(struct keys_row, step_base),    DB_BYTES(struct keys_row, data),
	DB_COLUMN(struct keys_row, writer_first),
};
const struct db_row_table keys_table = DB_ROW_TABLE(struct keys_row, keys_columns);

static const struct db_column steps_extent_columns[] = {
	DB_COLUMN(struct steps_extent, first),
	DB_COLUMN(struct steps_extent, last),
	DB_COLUMN(struct steps_extent, compacted),
};
static const struct db_row_table steps_extent_table =
	DB_ROW_TABLE(struct steps_extent, steps_extent_columns);

/* ---- chunks and tail ---------------------------------------------------------------------------- */

static bool is_asked(const struct series_ask *ask, int32_t writer)
{
	for (size_t i = 0; i < ask->writer_count; i++) {
		if (ask->writers[i] == writer)
			return true;
	}
	return ask->writer_count == 0;
}

static struct str find_series_pack(const void *p)
{
	const struct series_row *row = p;

	return row->part == SERIES_BLOCK && row->writer == TAIL_PACK ? row->data
								     : (struct str){ 0 };
}

static bool make_series(const void *ask, const void *p, const struct pack_block *block,
			void *ret_row)
{
	const struct series_row *row = p;
	struct series_row *to = ret_row;

	to->writer = block->writer;
	to->value_count = (int32_t)block->row_count;
	to->row_first = row->row_first + block->row_offset;
	to->step_base = block->step_base;
	to->data = block->data;
	return is_asked(ask, block->writer);
}

struct window {
	const struct series_ask *ask;
	struct series_range rows;
};

static bool make_series_row(const void *p, const void *row, const struct pack_block *block,
			    void *ret_row)
{
	const struct window *window = p;
	const struct series_row *to = ret_row;

	return make_series(window->ask, row, block, ret_row) && to->row_first <= window->rows.to &&
	       to->row_first + to->value_count > window->rows.from;
}

static const struct pack_shape series_shape = { sizeof(struct series_row), find_series_pack,
						make_series };
static const struct pack_shape series_rows_shape = { sizeof(struct series_row), find_series_pack,
						     make_series_row };

static int by_position(const void *a, const void *b)
{
	const struct series_row *x = a;
	const struct series_row *y = b;

	if (x->part != y->part)
		return (x->part > y->part) - (x->part < y->part);
	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	if (x->part == SERIES_CHUNK && x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	if (x->part == SERIES_CHUNK && x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	if (x->part == SERIES_CHUNK && x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	if (x->index_first != y->index_first)
		return (x->index_first > y->index_first) - (x->index_first < y->index_first);
	return (x->row_first > y->row_first) - (x->row_first < y->row_first);
}

static void put_in_order(struct series_row *rows, size_t count)
{
	size_t i = 1;

	while (i < count && by_position(&rows[i - 1], &rows[i]) <= 0)
		i++;
	if (i < count)
		qsort(rows, count, sizeof(rows[0]), by_position);
}

/* The result of one of the statements below, packs opened. */
struct reading {
	const struct db_stmt *stmt;
	const struct db_row_table *table;
	struct db_args args;
	const struct pack_shape *shape;
	const void *ask; /* the shape's */
	struct codec *codec;
};

/* It was moved after it was found, or a replica does not have it yet. */
static err_t is_elsewhere(struct db *db)
{
	return err_new(db_arena(db), ERR_GONE, "the run was moved to another project");
}

static err_t read_series(struct db *db, const struct reading *how, struct series_row **ret_rows,
			 size_t *ret_count)
{
	err_t e;

	e = db_all_planned_once(db, how->stmt, how->args, how->table, (void **)ret_rows, ret_count);
	if (!e && how->shape)
		e = tail_unpack(how->codec, db_arena(db), how->shape, how->ask, (void **)ret_rows,
				ret_count);
	if (e)
		return e;
	put_in_order(*ret_rows, *ret_count);
	if (*ret_count && (*ret_rows)[*ret_count - 1].part == SERIES_ELSEWHERE)
		return is_elsewhere(db);
	return NULL;
}

#define KEYS_OF_RUNS(ask) \
	P_ARRAY(DB_INT8_ARRAY, (ask)->run_ids, (ask)->run_count), P_INT2((ask)->stream), \
		P_ARRAY(DB_INT4_ARRAY, (ask)->key_ids, (ask)->key_count), \
		P_ARRAY(DB_INT4_ARRAY, (ask)->writers, (ask)->writer_count)

err_t series_store_read(struct db *db, struct codec *codec, const struct series_ask *ask,
			struct series_row **ret_rows, size_t *ret_count)
{
	const struct reading how = {
		&STMT_series_read,
		&series_cells_table,
		DB_ARGS(KEYS_OF_RUNS(ask), P_INT4(ask->branch), P_INT8(ask->project_id)),
		&series_shape,
		ask,
		codec,
	};

	return read_series(db, &how, ret_rows, ret_count);
}

err_t series_store_read_values(struct db *db, const struct series_ask *ask,
			       struct series_range steps, struct series_range rows,
			       struct series_row **ret_rows, size_t *ret_count)
{
	const struct reading how = {
		.stmt = &STMT_series_values,
		.table = &series_table,
		.args = DB_ARGS(KEYS_OF_RUNS(ask), P_INT8(steps.from), P_INT8(steps.to),
				P_INT8(rows.from), P_INT8(rows.to), P_INT8(ask->project_id)),
	};

	return read_series(db, &how, ret_rows, ret_count);
}

err_t series_store_read_values_apart(struct db *db, const struct series_ask *ask,
				     const struct series_ranges *of_keys,
				     struct series_row **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);
	const size_t n = ask->key_count;
	const struct reading how = {
		.stmt = &STMT_series_values_apart,
		.table = &series_table,
		.args = DB_ARGS(KEYS_OF_RUNS(ask), COLUMN(a, DB_INT8_ARRAY, of_keys, n, steps.from),
				COLUMN(a, DB_INT8_ARRAY, of_keys, n, steps.to),
				COLUMN(a, DB_INT8_ARRAY, of_keys, n, rows.from),
				COLUMN(a, DB_INT8_ARRAY, of_keys, n, rows.to),
				P_INT8(ask->project_id)),
	};

	return read_series(db, &how, ret_rows, ret_count);
}

/* ---- by rows ------------------------------------------------------------------------------------- */

err_t series_store_read_rows(struct db *db, struct codec *codec, const struct series_ask *ask,
			     struct series_range rows, struct series_row **ret_rows,
			     size_t *ret_count)
{
	const struct window window = { ask, rows };
	const struct reading how = {
		&STMT_series_rows,
		&series_table,
		DB_ARGS(P_INT8(ask->run_ids[0]), P_INT2(ask->stream), P_INT8(rows.from),
			P_INT8(rows.to + 1), P_ARRAY(DB_INT4_ARRAY, ask->key_ids, ask->key_count),
			P_ARRAY(DB_INT4_ARRAY, ask->writers, ask->writer_count),
			P_INT4(ask->branch), P_INT8(ask->project_id)),
		&series_rows_shape,
		&window,
		codec,
	};

	return read_series(db, &how, ret_rows, ret_count);
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static struct str find_keys_pack(const void *p)
{
	const struct keys_row *row = p;

	return row->writer == TAIL_PACK ? row->data : (struct str){ 0 };
}

static bool make_keys(const void *ask, const void *p, const struct pack_block *block, void *ret_row)
{
	const struct keys_row *row = p;
	struct keys_row *to = ret_row;

	(void)ask;
	to->writer = block->writer;
	to->row_count = (int32_t)block->row_count;
	to->row_first = row->row_first + block->row_offset;
	to->step_base = block->step_base;
	to->data = block->data;
	return block->writer >= row->writer_first;
}

static const struct pack_shape keys_shape = { sizeof(struct keys_row), find_keys_pack, make_keys };

err_t series_store_read_keys(struct db *db, struct codec *codec, const struct keys_ask *ask,
			     struct keys_row **ret_rows, size_t *ret_count)
{
	err_t e;

	e = db_all(db, &STMT_series_keys,
		   DB_ARGS(P_ARRAY(DB_INT8_ARRAY, ask->run_ids, ask->run_count),
			   P_INT2((int16_t)ask->stream), P_INT4(ask->branch), P_INT8(ask->bytes),
			   P_INT8(ask->project_id)),
		   &keys_table, (void **)ret_rows, ret_count);
	for (size_t i = 0; !e && i < *ret_count; i++) {
		if ((*ret_rows)[i].part == SERIES_ELSEWHERE)
			return is_elsewhere(db);
	}
	return e ? e
		 : tail_unpack(codec, db_arena(db), &keys_shape, NULL, (void **)ret_rows,
			       ret_count);
}

/* ---- positions ----------------------------------------------------------------------------------- */

err_t series_store_find_steps(struct db *db, const struct steps_ask *ask,
			      struct steps_extent *ret_extent)
{
	struct steps_extent *row;
	err_t e;

	e = db_first(db, &STMT_series_rows_of_steps,
		     DB_ARGS(P_INT8(ask->run_id), P_INT2((int16_t)ask->stream), P_INT4(ask->key_id),
			     P_INT8(ask->steps.from), P_INT8(ask->steps.to)),
		     &steps_extent_table, (void **)&row);
	if (!e)
		*ret_extent = *row;
	return e;
}
