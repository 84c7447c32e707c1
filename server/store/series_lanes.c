#include "series_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "block.h"

/* ---- cells -------------------------------------------------------------------------------------- */

struct builder {
	struct arena *arena;
	struct codec *codec;
	struct lane *lanes;
	size_t count;
	size_t size;
	uint32_t *places; /* hash table of lanes: index + 1, 0: free; at most half full */
	size_t place_count;
};

/* The place of the lane in the table, or the free one where it belongs. */
static uint32_t *find_place(const struct builder *b, int32_t key_id, int32_t writer)
{
	uint64_t hash = ((uint64_t)(uint32_t)key_id << 32 | (uint32_t)writer) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (b->place_count - 1);

	while (b->places[i] && (b->lanes[b->places[i] - 1].key_id != key_id ||
				b->lanes[b->places[i] - 1].writer != writer))
		i = (i + 1) & (b->place_count - 1);
	return &b->places[i];
}

static void grow(struct builder *b)
{
	size_t size = b->size ? b->size * 2 : 16;
	struct lane *grown = arena_new_array(b->arena, struct lane, size);

	if (b->count)
		memcpy(grown, b->lanes, b->count * sizeof(grown[0]));
	b->lanes = grown;
	b->size = size;
	b->place_count = size * 2;
	b->places = arena_new_array(b->arena, uint32_t, b->place_count);
	for (size_t i = 0; i < b->count; i++)
		*find_place(b, grown[i].key_id, grown[i].writer) = (uint32_t)i + 1;
}

static struct lane *find_lane(struct builder *b, int32_t key_id, int32_t writer)
{
	uint32_t *place;

	if (b->count == b->size)
		grow(b);
	place = find_place(b, key_id, writer);
	if (!*place) {
		b->lanes[b->count] = (struct lane){ .key_id = key_id, .writer = writer };
		*place = (uint32_t)++b->count;
	}
	return &b->lanes[*place - 1];
}

static void reserve_cells(struct builder *b, struct lane *lane, uint32_t more)
{
	uint32_t need = lane->cell_count + more;
	uint32_t size = lane->cell_size ? lane->cell_size : 32;
	struct cell *grown;

	if (need <= lane->cell_size)
		return;
	while (size < need)
		size *= 2;
	grown = arena_new_array(b->arena, struct cell, size);
	if (lane->cell_count)
		memcpy(grown, lane->cells, lane->cell_count * sizeof(grown[0]));
	lane->cells = grown;
	lane->cell_size = size;
}

static err_t add_chunk(struct builder *b, const struct series_row *row)
{
	struct lane *lane;
	struct cell *cells;
	uint32_t count;
	err_t e;

	if (row->kind != CHUNK_NUMBERS)
		return NULL;
	e = rollup_decode(b->codec, b->arena, row->roll, &cells, &count);
	if (e)
		return e;
	lane = find_lane(b, row->key_id, row->writer);
	reserve_cells(b, lane, count);
	memcpy(lane->cells + lane->cell_count, cells, count * sizeof(cells[0]));
	lane->cell_count += count;
	lane->count = (uint64_t)row->index_first + (uint64_t)row->value_count;
	return NULL;
}

/* Rows and steps of a column's numbers. */
static void column_values(struct arena *a, const struct block *block,
			  const struct block_column *column, struct cell_values *ret_values)
{
	int64_t *rows = arena_alloc(a, column->number_count * sizeof(*rows));
	int64_t *steps = arena_alloc(a, column->number_count * sizeof(*steps));

	for (uint32_t i = 0; i < column->number_count; i++) {
		uint32_t at = block_number_row(column, i);

		rows[i] = block->rows[at];
		steps[i] = block->steps[at];
	}
	*ret_values = (struct cell_values){ column->number_count, rows, steps, column->numbers };
}

static void add_values(struct builder *b, struct lane *lane, const struct cell_values *values)
{
	uint32_t reach = (uint32_t)((lane->count % CELL_VALUES + values->count + CELL_VALUES - 1) /
				    CELL_VALUES);
	uint32_t open = lane->count % CELL_VALUES ? 1 : 0;

	if (!values->count)
		return;
	reserve_cells(b, lane, reach);
	lane->cell_count += rollup_add(lane->cells + lane->cell_count - open, lane->count, values);
	lane->cell_count -= open;
	lane->count += values->count;
}

static err_t decode(struct arena *a, struct codec *codec, const struct lanes_ask *ask,
		    const struct series_row *row, struct block *ret_block)
{
	struct block_ask asked = {
		.row_first = row->row_first,
		.last_step = row->step_base,
		.key_ids = (const uint32_t *)ask->key_ids,
		.key_count = (uint32_t)ask->key_count,
	};

	return block_decode(codec, a, row->data, &asked, ret_block);
}

static err_t add_block(struct builder *b, const struct lanes_ask *ask, const struct series_row *row)
{
	struct block block;
	err_t e;

	e = decode(b->arena, b->codec, ask, row, &block);
	if (e)
		return e;
	for (uint32_t i = 0; i < block.column_count; i++) {
		const struct block_column *column = &block.columns[i];
		struct cell_values values;

		if (!column->number_count)
			continue;
		column_values(b->arena, &block, column, &values);
		add_values(b, find_lane(b, (int32_t)column->key_id, row->writer), &values);
	}
	return NULL;
}

static int by_key_and_writer(const void *a, const void *b)
{
	const struct lane *x = a;
	const struct lane *y = b;

	if (x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static struct series_ask whole(const struct lanes_ask *ask)
{
	return (struct series_ask){
		.run_id = ask->run_id,
		.stream = ask->stream,
		.key_ids = ask->key_ids,
		.key_count = ask->key_count,
		.writers = ask->writers,
		.writer_count = ask->writer_count,
		.from = INT64_MIN,
		.to = INT64_MAX,
	};
}

err_t series_lanes_read(struct db *db, struct codec *codec, const struct lanes_ask *ask,
			struct lanes *ret_lanes)
{
	struct builder b = { .arena = db_arena(db), .codec = codec };
	struct series_ask asked = whole(ask);
	struct series_row *rows;
	size_t count;
	err_t e;

	e = series_store_read(db, &asked, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		e = rows[i].part == SERIES_CHUNK ? add_chunk(&b, &rows[i])
						 : add_block(&b, ask, &rows[i]);
	if (e)
		return e;
	if (b.count)
		qsort(b.lanes, b.count, sizeof(b.lanes[0]), by_key_and_writer);
	*ret_lanes = (struct lanes){ b.lanes, b.count };
	return NULL;
}

/* ---- points ------------------------------------------------------------------------------------- */

struct giver {
	struct arena *arena;
	struct codec *codec;
	const struct lanes_ask *ask;
	lane_points_fn *take;
	void *p;
};

static err_t give_chunk(struct giver *g, const struct series_row *row)
{
	struct cell_values values;
	struct chunk chunk;
	err_t e;

	if (row->kind != CHUNK_NUMBERS)
		return NULL;
	e = chunk_decode(g->codec, g->arena, row->data, &chunk);
	if (e)
		return e;
	values = (struct cell_values){ chunk.count, chunk.rows, chunk.steps, chunk.numbers };
	g->take(g->p, row->key_id, row->writer, &values);
	return NULL;
}

static err_t give_block(struct giver *g, const struct series_row *row)
{
	struct block block;
	err_t e;

	e = decode(g->arena, g->codec, g->ask, row, &block);
	if (e)
		return e;
	for (uint32_t i = 0; i < block.column_count; i++) {
		struct cell_values values;

		column_values(g->arena, &block, &block.columns[i], &values);
		if (values.count)
			g->take(g->p, (int32_t)block.columns[i].key_id, row->writer, &values);
	}
	return NULL;
}

err_t series_lanes_points(struct db *db, struct codec *codec, const struct lanes_ask *ask,
			  int64_t from, int64_t to, lane_points_fn *take, void *p)
{
	struct giver g = { db_arena(db), codec, ask, take, p };
	struct series_ask asked = whole(ask);
	struct series_row *rows;
	size_t count;
	err_t e;

	asked.from = from;
	asked.to = to;
	asked.data = true;
	e = series_store_read(db, &asked, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		e = rows[i].part == SERIES_CHUNK ? give_chunk(&g, &rows[i])
						 : give_block(&g, &rows[i]);
	return e;
}
