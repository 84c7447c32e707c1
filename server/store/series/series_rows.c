/*
 * Values are counted per row, given positions, and put there: two passes over what was decoded, no
 * sort of the whole. A value that exists as digits and as a double comes once, as digits.
 */
#include "series_rows.h"

#include <assert.h>
#include <stdlib.h>

#include "arena.h"
#include "block.h"
#include "chunk.h"
#include "series_branch.h"
#include "store_sql.h"

enum { SCRATCH_BYTES = 64 << 10 };

struct found {
	uint32_t at; /* row - first */
	struct row_value value;
};

struct gather {
	struct arena *arena;
	struct arena *scratch; /* of one chunk or block */
	struct codec *codec;
	const struct rows_ask *ask;
	const struct branched *branched; /* NULL: the run was neither rewound nor forked */
	int64_t source_id;               /* else the run that is being read */
	struct exact_row *rows;
	uint32_t window; /* rows wanted, from ask->first on */
	size_t text_limit;
	size_t text_bytes;
	struct found *found;
	size_t count;
	size_t size;
};

static bool is_shown(const struct gather *g, int64_t row, int64_t step, int32_t writer)
{
	const struct branch_row one = { g->source_id, writer, row, step };

	return branch_has(&g->branched->view, &one);
}

static void add(struct gather *g, int64_t row, int64_t step, int32_t writer,
		const struct row_value *value)
{
	struct row_value kept = *value;
	uint32_t at;

	if (row < g->ask->first || row >= g->ask->first + g->window)
		return;
	if (g->branched && !is_shown(g, row, step, writer))
		return;
	if (g->count == g->size)
		g->found = arena_grow(g->arena, g->found, &g->size, sizeof(*g->found));
	at = (uint32_t)(row - g->ask->first);
	g->rows[at].step = step;
	g->rows[at].writer = writer;
	if (kept.is_text)
		kept.text.at = str_copy(g->arena, kept.text);
	g->text_bytes += kept.text.len;
	g->found[g->count++] = (struct found){ at, kept };
}

/* Halves the rows, and again, until their texts fit; the values of the others are dropped. */
static void narrow(struct gather *g)
{
	while (g->text_bytes > g->text_limit && g->window > 1) {
		size_t kept = 0;

		g->window /= 2;
		g->text_bytes = 0;
		for (size_t i = 0; i < g->count; i++) {
			if (g->found[i].at >= g->window)
				continue;
			g->text_bytes += g->found[i].value.text.len;
			g->found[kept++] = g->found[i];
		}
		g->count = kept;
	}
}

static err_t add_chunk(struct gather *g, const struct series_row *row)
{
	struct chunk chunk;
	err_t e;

	e = chunk_decode(g->codec, g->scratch, row->data, &chunk);
	if (e)
		return e;
	for (uint32_t i = 0; i < chunk.count; i++) {
		struct row_value value = { .key_id = row->key_id, .is_text = chunk.texts != NULL };

		if (value.is_text)
			value.text = chunk.texts[i];
		else
			value.number = chunk.numbers[i];
		add(g, chunk.rows[i], chunk.steps[i], row->writer, &value);
	}
	return NULL;
}

static void add_column(struct gather *g, const struct block *block,
		       const struct block_column *column, int32_t writer)
{
	struct row_value value = { .key_id = (int32_t)column->key_id };

	for (uint32_t i = 0; i < column->number_count; i++) {
		uint32_t at = block_number_row(column, i);

		value.number = column->numbers[i];
		add(g, block->rows[at], block->steps[at], writer, &value);
	}
	value.is_text = true;
	for (uint32_t i = 0; i < column->text_count; i++) {
		uint32_t at = block_text_row(column, i);

		value.text = column->texts[i];
		add(g, block->rows[at], block->steps[at], writer, &value);
	}
}

static err_t add_block(struct gather *g, const struct series_row *row)
{
	struct block_ask ask = {
		.row_first = row->row_first,
		.last_step = row->step_base,
		.key_ids = g->ask->key_count ? (const uint32_t *)g->ask->key_ids : NULL,
		.key_count = (uint32_t)g->ask->key_count,
	};
	struct block block;
	err_t e;

	e = block_decode(g->codec, g->scratch, row->data, &ask, &block);
	if (e)
		return e;
	for (uint32_t i = 0; i < block.column_count; i++)
		add_column(g, &block, &block.columns[i], row->writer);
	return NULL;
}

static int by_key(const void *a, const void *b)
{
	const struct row_value *x = a;
	const struct row_value *y = b;

	if (x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	return y->is_text - x->is_text; /* digits before the double */
}

static void drop_doubles(struct exact_row *row)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < row->value_count; i++) {
		if (kept && row->values[kept - 1].key_id == row->values[i].key_id)
			continue;
		row->values[kept++] = row->values[i];
	}
	row->value_count = kept;
}

static void put_together(struct gather *g)
{
	struct row_value *values = arena_alloc(g->arena, g->count * sizeof(*values));
	size_t next = 0;

	for (size_t i = 0; i < g->count; i++)
		g->rows[g->found[i].at].value_count++;
	for (uint32_t i = 0; i < g->window; i++) {
		g->rows[i].row = g->ask->first + i;
		g->rows[i].values = values + next;
		next += g->rows[i].value_count;
		g->rows[i].value_count = 0;
	}
	for (size_t i = 0; i < g->count; i++) {
		struct exact_row *row = &g->rows[g->found[i].at];

		row->values[row->value_count++] = g->found[i].value;
	}
	for (uint32_t i = 0; i < g->window; i++) {
		if (!g->rows[i].value_count)
			continue;
		qsort(g->rows[i].values, g->rows[i].value_count, sizeof(values[0]), by_key);
		drop_doubles(&g->rows[i]);
	}
}

static err_t add_piece(struct gather *g, const struct series_row *row)
{
	err_t e = row->part == SERIES_CHUNK ? add_chunk(g, row) : add_block(g, row);

	if (e)
		return e; /* which lives in the scratch arena */
	arena_reset(g->scratch);
	narrow(g);
	return NULL;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

static err_t add_pieces(struct gather *g, const struct series_row *rows, size_t count)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++)
		e = add_piece(g, &rows[i]);
	return e;
}

/* From each run whose rows the branch has. */
static err_t add_branch(struct db *db, struct gather *g, const struct series_ask *ask,
			struct series_range window)
{
	struct series_ask all = series_branch_ask(g->arena, ask, g->branched);
	err_t e = NULL;

	for (size_t i = 0; i < all.run_count && !e; i++) {
		struct series_ask one = all;
		struct series_row *rows;
		size_t count;

		one.run_ids = &all.run_ids[i];
		one.run_count = 1;
		g->source_id = all.run_ids[i];
		e = series_store_read_rows(db, g->codec, &one, window, &rows, &count);
		if (!e)
			e = add_pieces(g, rows, count);
	}
	return e;
}

static err_t read(struct db *db, struct gather *g)
{
	const struct rows_ask *ask = g->ask;
	struct series_ask asked = {
		.run_ids = &ask->run_id,
		.run_count = 1,
		.stream = ask->stream,
		.key_ids = ask->key_ids,
		.key_count = ask->key_count,
		.writers = ask->writers,
		.writer_count = ask->writer_count,
		.branch = ask->branch,
		.project_id = ask->project_id,
	};
	struct series_range window = { ask->first, ask->first + ask->count - 1 };
	struct lanes branches = { 0 };
	struct series_row *rows;
	size_t count;
	err_t e;

	g->arena = db_arena(db);
	g->window = ask->count;
	g->rows = arena_new_array(g->arena, struct exact_row, ask->count);
	g->scratch = arena_new_beside(g->arena, SCRATCH_BYTES);
	arena_defer(g->arena, free_scratch, g->scratch);
	e = series_store_read_rows(db, g->codec, &asked, window, &rows, &count);
	if (!e && count && rows[count - 1].part == SERIES_BRANCH)
		e = series_branch_take(g->arena, rows, &count, &branches);
	g->branched = branches.branched;
	if (!e)
		e = g->branched ? add_branch(db, g, &asked, window) : add_pieces(g, rows, count);
	if (e)
		return e;
	put_together(g);
	return NULL;
}

err_t series_rows_read_some(struct db *db, struct codec *codec, const struct rows_ask *ask,
			    struct exact_row **ret_rows, uint32_t *ret_count)
{
	struct gather g = { .codec = codec, .ask = ask, .text_limit = ROWS_TEXT_BYTES };
	err_t e = read(db, &g);

	if (e)
		return e;
	assert(g.window || !ask->count); /* otherwise a caller would read on without end */
	*ret_rows = g.rows;
	*ret_count = g.window;
	return NULL;
}

err_t series_rows_read(struct db *db, struct codec *codec, const struct rows_ask *ask,
		       struct exact_row **ret_rows)
{
	struct gather g = { .codec = codec, .ask = ask, .text_limit = SIZE_MAX };
	err_t e = read(db, &g);

	if (e)
		return e;
	*ret_rows = g.rows;
	return NULL;
}

static const struct db_column span_columns[] = {
	DB_COLUMN(struct row_span, first),
	DB_COLUMN(struct row_span, last),
};
const struct db_row_table row_span_table = DB_ROW_TABLE(struct row_span, span_columns);

err_t series_rows_spans(struct db *db, const struct spans_ask *ask, struct row_span **ret_spans,
			size_t *ret_count)
{
	return db_all(db, &STMT_series_spans,
		      DB_ARGS(P_INT8(ask->run_id), P_INT2(ask->stream), P_INT4(ask->key_id),
			      P_INT8(ask->from), P_INT8(ask->to)),
		      &row_span_table, (void **)ret_spans, ret_count);
}
