#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

enum { FIRST_TABLE = 64 };

struct columns *columns_new(size_t limit)
{
	struct columns *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	atomic_store(&c->holders, 1);
	c->arena.limit = limit;
	c->arena.bytes = sizeof(*c);
	return c;
}

static void column_deinit(struct column *column)
{
	free(column->chunks);
	dictionary_deinit(&column->texts);
	free(column->specials);
	free(column->items);
	dictionary_deinit(&column->lists);
	free(column->list_specials);
}

void columns_hold(struct columns *c)
{
	atomic_fetch_add(&c->holders, 1);
}

void columns_free(struct columns *c)
{
	if (!c || atomic_fetch_sub(&c->holders, 1) > 1)
		return;
	for (size_t i = 0; i < c->paths.count; i++)
		column_deinit(&c->all[i]);
	dictionary_deinit(&c->paths);
	free(c->all);
	free(c->run_ids);
	free(c->changes);
	free(c->shown);
	free(c->run_table);
	bounded_arena_free(&c->arena);
	free(c);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static size_t run_slot(const struct columns *c, int64_t run_id)
{
	uint64_t hash = (uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (hash >> 20) & (c->run_table_size - 1);

	while (c->run_table[slot] && c->run_ids[c->run_table[slot] - 1] != run_id)
		slot = (slot + 1) & (c->run_table_size - 1);
	return slot;
}

static void grow_run_table(struct columns *c)
{
	size_t size = c->run_table_size ? c->run_table_size * 2 : FIRST_TABLE;

	if (c->run_table_size > 2 * c->row_count)
		return;
	free(c->run_table);
	c->run_table = calloc(size, sizeof(c->run_table[0]));
	if (!c->run_table)
		abort();
	c->arena.bytes += (size - c->run_table_size) * sizeof(c->run_table[0]);
	c->run_table_size = size;
	for (size_t i = 0; i < c->row_count; i++)
		c->run_table[run_slot(c, c->run_ids[i])] = (uint32_t)i + 1;
}

static size_t row_of(struct columns *c, int64_t run_id)
{
	size_t slot;

	grow_run_table(c);
	slot = run_slot(c, run_id);
	if (c->run_table[slot])
		return c->run_table[slot] - 1;
	c->run_ids = bounded_arena_grow(&c->arena, c->run_ids, c->row_count, &c->run_room,
					sizeof(c->run_ids[0]));
	c->changes = bounded_arena_grow(&c->arena, c->changes, c->row_count, &c->change_room,
					sizeof(c->changes[0]));
	if (c->row_count % 64 == 0) {
		c->shown = bounded_arena_grow(&c->arena, c->shown, c->row_count / 64,
					      &c->shown_room, sizeof(c->shown[0]));
		c->shown[c->row_count / 64] = (struct shown){ 0 };
	}
	c->run_ids[c->row_count] = run_id;
	c->changes[c->row_count] = -1;
	c->run_table[slot] = (uint32_t)++c->row_count;
	return c->row_count - 1;
}

static void clear_row(struct columns *c, size_t row)
{
	for (size_t i = 0; i < c->paths.count; i++) {
		struct column *column = &c->all[i];
		size_t chunk = row / COLUMNS_CHUNK;

		if (chunk < column->chunk_room && column->chunks[chunk])
			column->chunks[chunk][row % COLUMNS_CHUNK] = cell_of(CELL_MISSING, 0);
	}
}

/* An unknown visibility counts as private. */
static void show_row(struct columns *c, size_t row, const struct columns_document *doc)
{
	const uint64_t bit = UINT64_C(1) << row % 64;
	struct shown *shown = &c->shown[row / 64];
	int visibility = doc->visibility;

	if (visibility < 0 || visibility > VISIBILITY_PUBLIC)
		visibility = VISIBILITY_PRIVATE;
	for (size_t i = 0; i <= VISIBILITY_PUBLIC; i++)
		shown->by[i] &= ~bit;
	if (!doc->deleted)
		shown->by[visibility] |= bit;
}

bool columns_put(struct columns *c, const struct columns_document *doc)
{
	size_t row = row_of(c, doc->run_id);

	if (c->changes[row] >= doc->change)
		return !bounded_arena_is_over(&c->arena);
	clear_row(c, row);
	c->changes[row] = doc->change;
	show_row(c, row, doc);
	if (!doc->deleted && !columns_read(c, row, doc->text))
		return false;
	return !bounded_arena_is_over(&c->arena);
}

/* ---- columns ------------------------------------------------------------------------------------- */

struct column *columns_at(struct columns *c, struct str path)
{
	size_t known = c->paths.count;
	uint32_t number = dictionary_add(&c->paths, &c->arena, path);

	if (number == known) {
		c->all = bounded_arena_grow(&c->arena, c->all, known, &c->room, sizeof(c->all[0]));
		c->all[number] = (struct column){ .path = dictionary_text(&c->paths, number) };
	}
	return &c->all[number];
}

const struct column *columns_find(const struct columns *c, const struct filter_path *path)
{
	struct buf joined = { 0 };
	uint32_t number;

	for (size_t i = 0; i < path->count; i++) {
		if (i)
			buf_add_byte(&joined, '\0');
		buf_add_str(&joined, path->names[i]);
	}
	number = dictionary_find(&c->paths, buf_str(&joined));
	buf_free(&joined);
	return number == DICTIONARY_NONE ? NULL : &c->all[number];
}

static void grow_chunks(struct columns *c, struct column *column, size_t chunk)
{
	size_t room = column->chunk_room ? column->chunk_room : 4;

	while (room <= chunk)
		room *= 2;
	column->chunks = realloc(column->chunks, room * sizeof(column->chunks[0]));
	if (!column->chunks)
		abort();
	memset(column->chunks + column->chunk_room, 0,
	       (room - column->chunk_room) * sizeof(column->chunks[0]));
	c->arena.bytes += (room - column->chunk_room) * sizeof(column->chunks[0]);
	column->chunk_room = room;
}

void column_set(struct columns *c, struct column *column, size_t row, cell value)
{
	size_t chunk = row / COLUMNS_CHUNK;

	if (chunk >= column->chunk_room)
		grow_chunks(c, column, chunk);
	if (!column->chunks[chunk]) {
		cell *cells = bounded_arena_alloc(&c->arena, COLUMNS_CHUNK * sizeof(cell));

		for (size_t i = 0; i < COLUMNS_CHUNK; i++)
			cells[i] = cell_of(CELL_MISSING, 0);
		column->chunks[chunk] = cells;
	}
	column->chunks[chunk][row % COLUMNS_CHUNK] = value;
}
