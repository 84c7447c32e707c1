/*
 * Collects cells in the order they come, 16 bytes each in one array, and puts them into columns once
 * at the end. Rejected: growing each column by itself, which is a realloc per key for the wide and
 * short bodies of large models (10,000 keys, one row).
 */
#include "json_rows.h"

#include <math.h>

#include "arena.h"
#include "id.h"
#include "json_number.h"
#include "json_rows_index.h"
#include "odd_name.h"

static void *grow(struct arena *a, const void *old, size_t used, size_t size)
{
	void *grown = arena_alloc(a, size);

	if (used)
		memcpy(grown, old, used);
	return grown;
}

static void index_grow(struct json_rows *rows)
{
	struct json_rows_index *index = rows->index;
	struct json_rows_index old = *index;

	index->size = old.size ? old.size * 4 : 64;
	index->slots = arena_new_array(rows->arena, struct json_rows_slot, index->size);
	for (uint32_t i = 0; i < old.size; i++) {
		const struct json_rows_slot *slot = &old.slots[i];

		if (slot->hash)
			*json_rows_slot(index, slot->name, slot->len, slot->hash) = *slot;
	}
}

void json_rows_init(struct json_rows *rows, struct arena *a, size_t expect_bytes)
{
	struct json_rows_cells *cells = arena_new_of(a, struct json_rows_cells);

	*rows = (struct json_rows){
		.arena = a, .cells = cells, .row_limit = JSON_ROWS_MAX, .kind = LEFT_OUT_HISTORY
	};
	cells->column_first = JSON_COLUMN_NONE;
	rows->index = arena_new_of(a, struct json_rows_index);
	id_random(&rows->index->key, sizeof(rows->index->key));
	index_grow(rows);
	cells->number_size = expect_bytes / 20 + 16;
	cells->numbers = arena_alloc(a, cells->number_size * sizeof(*cells->numbers));
}

static void rows_grow(struct json_rows *rows)
{
	struct json_rows_cells *cells = rows->cells;
	uint32_t size = cells->row_size ? cells->row_size * 2 : 64;

	rows->steps = grow(rows->arena, rows->steps, rows->row_count * sizeof(*rows->steps),
			   size * sizeof(*rows->steps));
	cells->row_size = size;
}

enum json_rows_fault json_rows_begin_row(struct json_rows *rows)
{
	struct json_rows_cells *cells = rows->cells;

	if (rows->row_count == rows->row_limit)
		return JSON_ROWS_TOO_MANY_ROWS;
	if (rows->row_count == cells->row_size)
		rows_grow(rows);
	rows->steps[rows->row_count++] = JSON_STEP_NONE;
	cells->row_cells = 0;
	cells->row_left_out = 0;
	cells->row_has_step = false;
	cells->column_last = JSON_COLUMN_NONE;
	return JSON_ROWS_OK;
}

static void columns_grow(struct json_rows *rows)
{
	struct json_rows_cells *cells = rows->cells;
	uint32_t size = cells->column_size ? cells->column_size * 4 : 32;
	size_t count = rows->column_count;

	rows->columns = grow(rows->arena, rows->columns, count * sizeof(*rows->columns),
			     size * sizeof(*rows->columns));
	cells->states = grow(rows->arena, cells->states, count * sizeof(*cells->states),
			     size * sizeof(*cells->states));
	cells->column_size = size;
}

/* A name in the arena with the bytes after it that json_rows_index.h asks for. */
static struct str copy_name(struct arena *a, struct str name)
{
	char *copy = arena_zalloc(a, name.len + 16, 1);

	memcpy(copy, name.at, name.len);
	return (struct str){ copy, name.len };
}

static void note_quoted(struct json_column_state *state, struct str name)
{
	state->quoted = name.at;
	state->quoted_len = (uint32_t)name.len + 1;
}

static void index_add(struct json_rows *rows, struct str name, uint64_t hash, uint32_t column)
{
	if (2 * rows->index->used >= rows->index->size)
		index_grow(rows);
	*json_rows_slot(rows->index, name.at, name.len, hash) = (struct json_rows_slot){
		.hash = hash, .name = name.at, .len = (uint32_t)name.len, .column = column
	};
	rows->index->used++;
}

static struct str form_of(struct arena *a, struct str name)
{
	return odd_name_form(a, name, ODD_NAME_KEY, JSON_KEY_MAX_BYTES);
}

/* Each name as it came has a form of its own, and so a column. */
static enum json_rows_fault add_column(struct json_rows *rows, struct str name, uint64_t hash)
{
	uint32_t column = rows->column_count;
	struct str form;

	if (column == JSON_ROWS_MAX_KEYS)
		return JSON_ROWS_TOO_MANY_KEYS;
	if (column == rows->cells->column_size)
		columns_grow(rows);
	rows->cells->states[column] = (struct json_column_state){ .next = JSON_COLUMN_NONE };
	index_add(rows, name, hash, column);
	form = form_of(rows->arena, name);
	rows->columns[column] = (struct json_column){ .name = form };
	if (name.len > JSON_KEY_MAX_BYTES)
		rows->columns[column].whole = name;
	rows->column_count++;
	return JSON_ROWS_OK;
}

static bool row_is_full(const struct json_rows *rows, struct str name)
{
	uint32_t more = name.at[0] == '_' ? JSON_ROW_OWN_KEYS : 0;

	return rows->cells->row_cells >= JSON_ROW_MAX_KEYS + more;
}

static enum json_rows_fault check_new(const struct json_rows *rows, struct str name)
{
	if (name.len == 0)
		return JSON_ROWS_KEY_EMPTY;
	if (name.len > JSON_NAME_MAX_BYTES)
		return JSON_ROWS_KEY_TOO_LONG;
	if (row_is_full(rows, name))
		return JSON_ROWS_TOO_MANY_CELLS;
	return arena_has_room(rows->arena, 4 * name.len) ? JSON_ROWS_OK : JSON_ROWS_NO_MEMORY;
}

static enum json_rows_fault add_name(struct json_rows *rows, struct str name,
				     enum json_name_life life, uint64_t hash)
{
	enum json_rows_fault fault = check_new(rows, name);

	if (fault)
		return fault;
	if (life == JSON_NAME_PASSES)
		name = copy_name(rows->arena, name);
	fault = add_column(rows, name, hash);
	if (!fault && life == JSON_NAME_QUOTED)
		note_quoted(&rows->cells->states[rows->column_count - 1], name);
	return fault;
}

enum json_rows_fault json_rows_column(struct json_rows *rows, struct str name,
				      enum json_name_life life, uint32_t *ret_column)
{
	uint64_t hash = json_rows_hash(&rows->index->key, name.at, name.len);
	const struct json_rows_slot *slot = json_rows_slot(rows->index, name.at, name.len, hash);
	enum json_rows_fault fault = JSON_ROWS_OK;

	if (!slot->hash) {
		struct json_rows_index *index = rows->index;

		fault = add_name(rows, name, life, hash);
		slot = json_rows_slot(index, name.at, name.len, hash);
	}
	*ret_column = slot->hash ? slot->column : 0;
	return fault;
}

/* Starts a cell in the open row, the first of its column. */
static enum json_rows_fault claim(struct json_rows *rows, uint32_t column)
{
	struct json_column_state *state = &rows->cells->states[column];

	if (state->seen_row == rows->row_count)
		return JSON_ROWS_REPEATED_KEY;
	if (row_is_full(rows, rows->columns[column].name))
		return JSON_ROWS_TOO_MANY_CELLS;
	if (rows->cells->number_count + rows->cells->text_count >= JSON_ROWS_MAX_CELLS)
		return JSON_ROWS_TOO_LARGE;
	state->seen_row = rows->row_count;
	rows->cells->row_cells++;
	return JSON_ROWS_OK;
}

/* A body's usual need is reserved; a body made to need more can take several times that. */
static bool numbers_grow(struct json_rows *rows)
{
	struct json_rows_cells *cells = rows->cells;
	size_t used = cells->number_count * sizeof(*cells->numbers);

	if (!arena_has_room(rows->arena, 4 * used)) /* and the columns made of them */
		return false;
	cells->numbers = grow(rows->arena, cells->numbers, used, 2 * used);
	cells->number_size *= 2;
	return true;
}

static bool texts_grow(struct json_rows *rows)
{
	struct json_rows_cells *cells = rows->cells;
	size_t size = cells->text_size ? 2 * cells->text_size : 16;
	size_t used = cells->text_count * sizeof(*cells->texts);

	if (!arena_has_room(rows->arena, 2 * size * sizeof(*cells->texts)))
		return false;
	cells->texts = grow(rows->arena, cells->texts, used, size * sizeof(*cells->texts));
	cells->text_size = size;
	return true;
}

static enum json_rows_fault put_number(struct json_rows *rows, uint32_t column, double value)
{
	struct json_rows_cells *cells = rows->cells;

	if (cells->number_count == cells->number_size && !numbers_grow(rows))
		return JSON_ROWS_NO_MEMORY;
	cells->states[column].numbers++;
	cells->numbers[cells->number_count++] = (struct json_number_cell){
		.value = value, .column = column, .row = rows->row_count - 1
	};
	return JSON_ROWS_OK;
}

static enum json_rows_fault put_text(struct json_rows *rows, uint32_t column, struct str text)
{
	struct json_rows_cells *cells = rows->cells;

	if (cells->text_count == cells->text_size && !texts_grow(rows))
		return JSON_ROWS_NO_MEMORY;
	cells->states[column].texts++;
	cells->text_bytes += text.len;
	cells->texts[cells->text_count++] = (struct json_text_cell){ .text = text,
								     .column = column,
								     .row = rows->row_count - 1 };
	return JSON_ROWS_OK;
}

enum json_rows_fault json_rows_add_number(struct json_rows *rows, uint32_t column, double value)
{
	enum json_rows_fault fault = claim(rows, column);

	return fault ? fault : put_number(rows, column, value);
}

enum json_rows_fault json_rows_add_text(struct json_rows *rows, uint32_t column, struct str json)
{
	enum json_rows_fault fault;

	if (json.len > JSON_VALUE_MAX_BYTES)
		return JSON_ROWS_VALUE_TOO_LONG;
	if (rows->cells->text_bytes + json.len > JSON_ROWS_MAX_TEXT_BYTES)
		return JSON_ROWS_TOO_LARGE;
	fault = claim(rows, column);
	return fault ? fault : put_text(rows, column, json);
}

enum json_rows_fault json_rows_add_big(struct json_rows *rows, uint32_t column, double value,
				       struct str digits)
{
	enum json_rows_fault fault = json_rows_add_text(rows, column, digits);

	return fault ? fault : put_number(rows, column, value);
}

enum json_rows_fault json_rows_see_step(struct json_rows *rows)
{
	if (rows->cells->row_has_step)
		return JSON_ROWS_REPEATED_KEY;
	rows->cells->row_has_step = true;
	return JSON_ROWS_OK;
}

void json_rows_set_step(struct json_rows *rows, int64_t step)
{
	rows->steps[rows->row_count - 1] = step;
}

static void group_numbers(struct json_rows *rows)
{
	const struct json_rows_cells *cells = rows->cells;
	uint32_t *next = arena_new_array(rows->arena, uint32_t, rows->column_count + 1);
	double *values = arena_alloc(rows->arena, cells->number_count * sizeof(*values));
	uint32_t *at_rows = arena_alloc(rows->arena, cells->number_count * sizeof(*at_rows));
	uint32_t offset = 0;

	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct json_column *column = &rows->columns[i];

		column->number_count = cells->states[i].numbers;
		column->numbers = values + offset;
		column->number_rows = column->number_count == rows->row_count ? NULL
									      : at_rows + offset;
		next[i] = offset;
		offset += column->number_count;
	}
	for (size_t i = 0; i < cells->number_count; i++) {
		const struct json_number_cell *cell = &cells->numbers[i];
		uint32_t to = next[cell->column]++;

		values[to] = cell->value;
		at_rows[to] = cell->row;
	}
}

static void group_texts(struct json_rows *rows)
{
	const struct json_rows_cells *cells = rows->cells;
	uint32_t *next = arena_new_array(rows->arena, uint32_t, rows->column_count + 1);
	struct str *texts = arena_alloc(rows->arena, cells->text_count * sizeof(*texts));
	uint32_t *at_rows = arena_alloc(rows->arena, cells->text_count * sizeof(*at_rows));
	uint32_t offset = 0;

	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct json_column *column = &rows->columns[i];

		column->text_count = cells->states[i].texts;
		column->texts = texts + offset;
		column->text_rows = column->text_count == rows->row_count ? NULL : at_rows + offset;
		next[i] = offset;
		offset += column->text_count;
	}
	for (size_t i = 0; i < cells->text_count; i++) {
		const struct json_text_cell *cell = &cells->texts[i];
		uint32_t to = next[cell->column]++;

		texts[to] = cell->text;
		at_rows[to] = cell->row;
	}
}

/* Drops columns that were made for a value which was left out. */
static void drop_empty_columns(struct json_rows *rows)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rows->column_count; i++) {
		if (rows->columns[i].number_count || rows->columns[i].text_count)
			rows->columns[kept++] = rows->columns[i];
	}
	rows->column_count = kept;
}

bool json_rows_is_too_long(const struct json_rows *rows, size_t bytes)
{
	return bytes - rows->cells->row_left_out > JSON_ROW_MAX_BYTES;
}

void json_rows_finish(struct json_rows *rows)
{
	group_numbers(rows);
	group_texts(rows);
	drop_empty_columns(rows);
	rows->cell_count = rows->cells->number_count + rows->cells->text_count;
}

static const struct json_column *find_column(const struct json_rows *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->column_count; i++) {
		if (str_is(rows->columns[i].name, name))
			return &rows->columns[i];
	}
	return NULL;
}

void json_rows_step_by_time(struct json_rows *rows)
{
	const struct json_column *times = find_column(rows, "_timestamp");

	for (uint32_t i = 0; i < rows->row_count; i++)
		rows->steps[i] = JSON_STEP_NONE;
	for (uint32_t i = 0; times && i < times->number_count; i++) {
		double us = round(times->numbers[i] * 1e6);

		if (us >= 0 && us <= JSON_TIME_MAX_S * 1e6)
			rows->steps[json_column_number_row(times, i)] = (int64_t)us;
	}
}

const char *json_rows_fault_text(enum json_rows_fault fault)
{
	switch (fault) {
	case JSON_ROWS_OK:
		break;
	case JSON_ROWS_REPEATED_KEY:
		return "duplicate key in a row";
	case JSON_ROWS_TOO_MANY_ROWS:
		return "more than 100000 rows in a request";
	case JSON_ROWS_TOO_MANY_KEYS:
		return "more than 100000 different keys in a request";
	case JSON_ROWS_TOO_MANY_CELLS:
		return "more than 10000 keys in a row";
	case JSON_ROWS_KEY_TOO_LONG:
		return "a key is longer than 2048 bytes";
	case JSON_ROWS_KEY_EMPTY:
		return "a key is empty";
	case JSON_ROWS_VALUE_TOO_LONG:
		return "a value is longer than 10 MiB";
	case JSON_ROWS_VALUE_TOO_DEEP:
		return "a value is nested too deeply";
	case JSON_ROWS_TOO_LARGE:
		return "more than 16 million values or 256 MiB of text in a request";
	case JSON_ROWS_NO_MEMORY:
		return "the server's memory for requests is in use";
	}
	return "no error";
}

/* ---- what is left out ------------------------------------------------------------------------------ */

/* False: the fault is about the whole. */
static bool reason_of(enum json_rows_fault fault, enum left_out_reason *ret_reason)
{
	switch (fault) {
	case JSON_ROWS_REPEATED_KEY:
		*ret_reason = LEFT_OUT_NAME_REPEATED;
		return true;
	case JSON_ROWS_TOO_MANY_KEYS:
	case JSON_ROWS_TOO_LARGE:
		*ret_reason = LEFT_OUT_REQUEST_FULL;
		return true;
	case JSON_ROWS_TOO_MANY_CELLS:
		*ret_reason = LEFT_OUT_ROW_FULL;
		return true;
	case JSON_ROWS_KEY_TOO_LONG:
		*ret_reason = LEFT_OUT_NAME_TOO_LONG;
		return true;
	case JSON_ROWS_KEY_EMPTY:
		*ret_reason = LEFT_OUT_NAME_EMPTY;
		return true;
	case JSON_ROWS_VALUE_TOO_LONG:
		*ret_reason = LEFT_OUT_VALUE_TOO_LARGE;
		return true;
	case JSON_ROWS_VALUE_TOO_DEEP:
		*ret_reason = LEFT_OUT_VALUE_TOO_DEEP;
		return true;
	case JSON_ROWS_OK:
	case JSON_ROWS_TOO_MANY_ROWS:
	case JSON_ROWS_NO_MEMORY:
		break;
	}
	return false;
}

bool json_rows_leave_out(struct json_rows *rows, enum json_rows_fault fault, struct str name,
			 struct str value)
{
	struct left_out member = { .kind = rows->kind, .sample = value, .count = 1 };

	if (!reason_of(fault, &member.reason))
		return false;
	member.name = str_head(name, JSON_NAME_MAX_BYTES);
	left_out_add(&rows->left_out, rows->arena, &member);
	rows->cells->row_left_out += value.len;
	return true;
}

static struct str first_value(struct arena *a, const struct json_column *c)
{
	char *text;

	if (c->text_count)
		return c->texts[0];
	text = arena_alloc(a, JSON_NUMBER_TEXT_SIZE);
	return (struct str){ text, json_number_write(c->numbers[0], text) };
}

/* Its values: a big integer is a number and a text of one row. */
static uint32_t count_values(const struct json_column *c)
{
	uint32_t count = c->number_count + c->text_count;
	uint32_t n = 0;

	for (uint32_t t = 0; t < c->text_count; t++) {
		uint32_t row = json_column_text_row(c, t);

		while (n < c->number_count && json_column_number_row(c, n) < row)
			n++;
		if (n < c->number_count && json_column_number_row(c, n) == row)
			count--;
	}
	return count;
}

void json_rows_leave_out_column(struct json_rows *rows, uint32_t column,
				enum left_out_reason reason)
{
	const struct json_column *c = &rows->columns[column];
	const struct left_out member = { rows->kind, reason, c->name, first_value(rows->arena, c),
					 count_values(c) };

	left_out_add(&rows->left_out, rows->arena, &member);
	rows->cell_count -= c->number_count + c->text_count;
	rows->column_count--;
	memmove(&rows->columns[column], &rows->columns[column + 1],
		(rows->column_count - column) * sizeof(*c));
}
