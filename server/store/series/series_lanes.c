#include "series_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "block.h"
#include "series_branch.h"

/* ---- cells -------------------------------------------------------------------------------------- */

enum { SCRATCH_BYTES = 64 << 10 };

struct builder {
	struct arena *arena;
	struct arena *scratch; /* of one block */
	struct codec *codec;
	struct lane *lanes;
	size_t count;
	size_t size;
	uint32_t *slots; /* hash table of lanes: index + 1, 0: free; at most half full */
	size_t slot_count;
};

static int by_name(const void *a, const void *b)
{
	const struct lane *x = a;
	const struct lane *y = b;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	if (x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

/* The slot of the lane in the table, or the free one where it belongs. */
static uint32_t *find_slot(const struct builder *b, const struct lane *wanted)
{
	uint64_t hash = ((uint64_t)wanted->run_id * 31 +
			 ((uint64_t)(uint32_t)wanted->key_id << 32 | (uint32_t)wanted->writer)) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (b->slot_count - 1);

	while (b->slots[i] && by_name(&b->lanes[b->slots[i] - 1], wanted) != 0)
		i = (i + 1) & (b->slot_count - 1);
	return &b->slots[i];
}

static void grow(struct builder *b)
{
	size_t size = b->size ? b->size * 2 : 16;
	struct lane *grown = arena_new_array(b->arena, struct lane, size);

	if (b->count)
		memcpy(grown, b->lanes, b->count * sizeof(grown[0]));
	b->lanes = grown;
	b->size = size;
	b->slot_count = size * 2;
	b->slots = arena_new_array(b->arena, uint32_t, b->slot_count);
	for (size_t i = 0; i < b->count; i++)
		*find_slot(b, &grown[i]) = (uint32_t)i + 1;
}

static struct lane *find_lane(struct builder *b, const struct series_row *row, int32_t key_id)
{
	struct lane wanted = { .run_id = row->run_id, .key_id = key_id, .writer = row->writer };
	uint32_t *slot;

	if (b->count == b->size)
		grow(b);
	slot = find_slot(b, &wanted);
	if (!*slot) {
		b->lanes[b->count] = wanted;
		*slot = (uint32_t)++b->count;
	}
	return &b->lanes[*slot - 1];
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
	grown = arena_alloc(b->arena, size * sizeof(grown[0]));
	if (lane->cell_count)
		memcpy(grown, lane->cells, lane->cell_count * sizeof(grown[0]));
	lane->cells = grown;
	lane->cell_size = size;
}

/* The chunks of a lane follow each other: room for all of them is allocated at once. */
static void begin_lane(struct builder *b, struct lane *lane, const struct series_row *rows,
		       size_t count)
{
	uint32_t chunks = 0;

	for (size_t i = 0;
	     i < count && rows[i].part == SERIES_CHUNK && rows[i].run_id == lane->run_id &&
	     rows[i].key_id == lane->key_id && rows[i].writer == lane->writer;
	     i++)
		chunks++;
	lane->cell_size = chunks * CELLS_PER_CHUNK + 1;
	lane->cells = arena_alloc(b->arena, lane->cell_size * sizeof(lane->cells[0]));
}

/* The first of some rows, a chunk. */
static err_t add_chunk(struct builder *b, const struct series_row *row, size_t left)
{
	struct lane *lane = find_lane(b, row, row->key_id);
	uint32_t count = 0;
	err_t e;

	if (!lane->cell_size)
		begin_lane(b, lane, row, left);
	reserve_cells(b, lane, CELLS_PER_CHUNK);
	e = rollup_decode_into(b->codec, b->arena, row->data, lane->cells + lane->cell_count,
			       CELLS_PER_CHUNK, &count);
	lane->cell_count += count;
	lane->count = (uint64_t)row->index_first + (uint64_t)row->value_count;
	return e;
}

static void reserve_tail(struct builder *b, struct lane *lane, uint32_t more)
{
	uint32_t need = lane->tail.count + more;
	uint32_t size = lane->tail_size ? lane->tail_size : 64;
	struct cell_values had = lane->tail;
	int64_t *words;

	if (need <= lane->tail_size)
		return;
	while (size < need)
		size *= 2;
	words = arena_alloc(b->arena, (size_t)size * 3 * sizeof(*words));
	lane->tail.rows = words;
	lane->tail.steps = words + size;
	lane->tail.numbers = (double *)(words + 2 * (size_t)size);
	lane->tail_size = size;
	if (!had.count)
		return;
	memcpy(words, had.rows, had.count * sizeof(*words));
	memcpy(words + size, had.steps, had.count * sizeof(*words));
	memcpy(words + 2 * (size_t)size, had.numbers, had.count * sizeof(*words));
}

static void add_column(struct builder *b, struct lane *lane, const struct block *block,
		       const struct block_column *column)
{
	int64_t *rows;
	int64_t *steps;

	reserve_tail(b, lane, column->number_count);
	rows = (int64_t *)(uintptr_t)lane->tail.rows + lane->tail.count;
	steps = (int64_t *)(uintptr_t)lane->tail.steps + lane->tail.count;
	for (uint32_t i = 0; i < column->number_count; i++) {
		uint32_t at = block_number_row(column, i);

		rows[i] = block->rows[at];
		steps[i] = block->steps[at];
	}
	memcpy((double *)(uintptr_t)lane->tail.numbers + lane->tail.count, column->numbers,
	       column->number_count * sizeof(column->numbers[0]));
	lane->tail.count += column->number_count;
}

/* In memory of its own, reused for the next: only the requested numbers stay. */
static err_t add_block(struct builder *b, const struct series_ask *ask,
		       const struct series_row *row)
{
	struct block_ask asked = {
		.row_first = row->row_first,
		.last_step = row->step_base,
		.key_ids = (const uint32_t *)ask->key_ids,
		.key_count = (uint32_t)ask->key_count,
	};
	struct block block;
	err_t e = block_decode(b->codec, b->scratch, row->data, &asked, &block);

	if (e)
		return e; /* which lives there */
	for (uint32_t i = 0; i < block.column_count; i++) {
		const struct block_column *column = &block.columns[i];

		if (column->number_count)
			add_column(b, find_lane(b, row, (int32_t)column->key_id), &block, column);
	}
	arena_reset(b->scratch);
	return NULL;
}

static void roll_tail_up(struct builder *b, struct lane *lane)
{
	const struct cell_values *tail = &lane->tail;
	uint32_t open = lane->count % CELL_VALUES ? 1 : 0;

	lane->tail_from = lane->count;
	if (!tail->count)
		return;
	reserve_cells(b, lane,
		      (uint32_t)((lane->count % CELL_VALUES + tail->count + CELL_VALUES - 1) /
				 CELL_VALUES));
	if (!open)
		lane->cells[lane->cell_count] = (struct cell){ 0 };
	lane->cell_count += rollup_add(lane->cells + lane->cell_count - open, lane->count, tail);
	lane->cell_count -= open;
	lane->count += tail->count;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

static bool is_branched(const struct branched *runs, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].run_id == run_id)
			return true;
	}
	return false;
}

/* Data in runs with branches is left out here: it is read branch by branch. */
static err_t build(struct builder *b, const struct series_ask *ask, const struct series_row *rows,
		   size_t count, const struct lanes *lanes)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		if (lanes->branched_count &&
		    is_branched(lanes->branched, lanes->branched_count, rows[i].run_id))
			continue;
		e = rows[i].part == SERIES_CHUNK ? add_chunk(b, &rows[i], count - i)
						 : add_block(b, ask, &rows[i]);
	}
	for (size_t i = 0; i < b->count && !e; i++)
		roll_tail_up(b, &b->lanes[i]);
	return e;
}

static void join_lanes(struct arena *a, struct lanes *lanes, const struct lanes *more)
{
	struct lane *all;

	if (!more->count)
		return;
	all = arena_new_array(a, struct lane, lanes->count + more->count);
	if (lanes->count)
		memcpy(all, lanes->at, lanes->count * sizeof(*all));
	memcpy(all + lanes->count, more->at, more->count * sizeof(*all));
	lanes->at = all;
	lanes->count += more->count;
}

static err_t add_branched(struct db *db, struct codec *codec, const struct series_ask *ask,
			  struct lanes *lanes)
{
	err_t e = NULL;

	for (size_t i = 0; i < lanes->branched_count && !e; i++) {
		struct lanes more;

		e = series_branch_lanes(db, codec, ask, &lanes->branched[i], &more);
		if (!e)
			join_lanes(db_arena(db), lanes, &more);
	}
	return e;
}

err_t series_lanes_read(struct db *db, struct codec *codec, const struct series_ask *ask,
			struct lanes *ret_lanes)
{
	struct builder b = { .arena = db_arena(db),
			     .scratch = arena_new_beside(db_arena(db), SCRATCH_BYTES),
			     .codec = codec };
	struct lanes lanes = { 0 };
	struct series_row *rows;
	size_t count;
	err_t e;

	arena_defer(b.arena, free_scratch, b.scratch);
	e = series_store_read(db, codec, ask, &rows, &count);
	if (!e && count && rows[count - 1].part == SERIES_BRANCH)
		e = series_branch_take(b.arena, rows, &count, &lanes);
	if (!e)
		e = build(&b, ask, rows, count, &lanes);
	lanes.at = b.lanes;
	lanes.count = b.count;
	if (!e)
		e = add_branched(db, codec, ask, &lanes);
	if (e)
		return e;
	if (lanes.count)
		qsort(lanes.at, lanes.count, sizeof(lanes.at[0]), by_name);
	*ret_lanes = lanes;
	return NULL;
}

err_t series_lanes_add(struct db *db, struct codec *codec, const struct series_ask *ask,
		       struct lanes *lanes)
{
	struct lanes more;
	err_t e = series_lanes_read(db, codec, ask, &more);

	if (e || !more.count)
		return e;
	join_lanes(db_arena(db), lanes, &more);
	lanes->branched = more.branched;
	lanes->branched_count = more.branched_count;
	qsort(lanes->at, lanes->count, sizeof(*lanes->at), by_name);
	return NULL;
}

struct lane *series_lanes_find(const struct lanes *lanes, int64_t run_id, int32_t key_id,
			       int32_t writer)
{
	struct lane wanted = { .run_id = run_id, .key_id = key_id, .writer = writer };

	return lanes->count ? bsearch(&wanted, lanes->at, lanes->count, sizeof(wanted), by_name)
			    : NULL;
}

/* ---- points ------------------------------------------------------------------------------------- */

struct points {
	const struct lanes_points_ask *ask;
	const struct lanes *lanes;
	const struct branched *of; /* the run that is read; NULL: those without branches */
};

/* Without values that were in the tail when the lane was read: those come from there. */
static err_t give_chunk(struct codec *codec, struct arena *a, const struct points *p,
			const struct series_row *row)
{
	const struct lane *lane = series_lanes_find(p->lanes, p->of ? p->of->run_id : row->run_id,
						    row->key_id, row->writer);
	uint64_t first = (uint64_t)row->index_first;
	struct cell_values values;
	struct chunk chunk;
	err_t e;

	if (!lane || first >= lane->tail_from || (p->of && lane->source_id != row->run_id))
		return NULL;
	e = chunk_decode(codec, a, row->data, &chunk);
	if (e)
		return e;
	values = (struct cell_values){ chunk.count, chunk.rows, chunk.steps, chunk.numbers };
	if (values.count > lane->tail_from - first)
		values.count = (uint32_t)(lane->tail_from - first);
	if (p->of)
		values = series_branch_values(a, p->of, row->run_id, row->writer, &values);
	p->ask->take(p->ask->p, lane, &values);
	return NULL;
}

/* Gives the rows of the runs of `series`, or the data in a run with branches. */
static err_t give_rows(struct db *db, struct codec *codec, const struct points *p,
		       const struct series_ask *series)
{
	const struct lanes_points_ask *ask = p->ask;
	struct arena *a = db_arena(db);
	struct arena *scratch = arena_new_beside(a, SCRATCH_BYTES);
	struct series_row *rows;
	size_t count;
	err_t e;

	arena_defer(a, free_scratch, scratch); /* an error lives in it */
	e = ask->of_keys
		    ? series_store_read_values_apart(db, series, ask->of_keys, &rows, &count)
		    : series_store_read_values(db, series, ask->steps, ask->rows, &rows, &count);
	for (size_t i = 0; i < count && !e; i++) {
		if (ask->keep == LANES_STAYING) {
			e = give_chunk(codec, a, p, &rows[i]);
			continue;
		}
		e = give_chunk(codec, scratch, p, &rows[i]);
		if (!e)
			arena_reset(scratch);
	}
	return e;
}

static bool is_among(const struct series_ask *ask, int64_t run_id)
{
	for (size_t i = 0; i < ask->run_count; i++) {
		if (ask->run_ids[i] == run_id)
			return true;
	}
	return false;
}

/* Runs without branches in one statement, and one for each other. */
static err_t give_chunks(struct db *db, struct codec *codec, const struct lanes_points_ask *ask,
			 const struct lanes *lanes)
{
	struct points p = { ask, lanes, NULL };
	struct series_ask plain = ask->series;
	int64_t *ids = arena_new_array(db_arena(db), int64_t, plain.run_count);
	err_t e = NULL;

	if (!lanes->branched_count)
		return give_rows(db, codec, &p, &ask->series);
	plain.run_ids = ids;
	plain.run_count = 0;
	for (size_t i = 0; i < ask->series.run_count; i++) {
		if (!is_branched(lanes->branched, lanes->branched_count, ask->series.run_ids[i]))
			ids[plain.run_count++] = ask->series.run_ids[i];
	}
	if (plain.run_count)
		e = give_rows(db, codec, &p, &plain);
	for (size_t i = 0; i < lanes->branched_count && !e; i++) {
		struct series_ask asked =
			series_branch_ask(db_arena(db), &ask->series, &lanes->branched[i]);

		p.of = &lanes->branched[i];
		if (is_among(&ask->series, p.of->run_id))
			e = give_rows(db, codec, &p, &asked);
	}
	return e;
}

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool is_asked(const struct series_ask *ask, const struct lane *lane)
{
	return is_among(ask, lane->run_id) && bsearch(&lane->key_id, ask->key_ids, ask->key_count,
						      sizeof(lane->key_id), compare_ids);
}

err_t series_lanes_points(struct db *db, struct codec *codec, const struct lanes_points_ask *ask,
			  const struct lanes *lanes)
{
	bool in_chunks = false;
	err_t e;

	for (size_t i = 0; i < lanes->count && !in_chunks; i++)
		in_chunks = lanes->at[i].tail_from > 0 && is_asked(&ask->series, &lanes->at[i]);
	e = in_chunks ? give_chunks(db, codec, ask, lanes) : NULL;
	if (e)
		return e;
	for (size_t i = 0; i < lanes->count; i++) {
		if (lanes->at[i].tail.count && is_asked(&ask->series, &lanes->at[i]))
			ask->take(ask->p, &lanes->at[i], &lanes->at[i].tail);
	}
	return NULL;
}
