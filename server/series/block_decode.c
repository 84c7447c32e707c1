/* Bytes to blocks: block.c backwards. Nothing is allocated before the count it needs is checked. */
#include <stdlib.h>

#include "arena.h"
#include "block.h"
#include "block_parts.h"
#include "codec_parts.h"
#include "numbers.h"
#include "texts.h"
#include "int_column.h"

struct decoder {
	struct codec *codec;
	struct arena *arena;
	const struct block_ask *ask;
	struct sections_reader r;
	uint32_t row_count;
	uint64_t cells_left;
};

static bool fail(struct decoder *d)
{
	d->r.failed = true;
	return false;
}

static bool get_rows(struct decoder *d, int64_t *rows)
{
	unsigned how = sections_byte(&d->r);

	if (how == ROWS_LISTED) {
		if (!int_column_read(&d->r, d->row_count, rows))
			return false;
	} else if (how == ROWS_IN_SEQUENCE) {
		for (uint32_t i = 0; i < d->row_count; i++)
			rows[i] = i;
	} else {
		return fail(d);
	}
	for (uint32_t i = 0; i < d->row_count; i++) {
		if (rows[i] < (int64_t)i || (i && rows[i] <= rows[i - 1] - d->ask->row_first) ||
		    rows[i] > INT64_MAX / 4)
			return fail(d);
		rows[i] += d->ask->row_first;
	}
	return true;
}

/* Rows as offsets from 0, ascending and within the block. */
static bool get_row_list(struct decoder *d, uint32_t count, int64_t *ret_rows)
{
	if (!int_column_read(&d->r, count, ret_rows))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (ret_rows[i] < 0 || ret_rows[i] >= (int64_t)d->row_count ||
		    (i && ret_rows[i] <= ret_rows[i - 1]))
			return fail(d);
	}
	return true;
}

static bool get_some_steps(struct decoder *d, int64_t *steps)
{
	uint32_t count = sections_count(&d->r, d->row_count);
	int64_t *at = arena_alloc(d->arena, 2 * (count + (size_t)1) * sizeof(*at));
	int64_t *values = at + count;

	if (!get_row_list(d, count, at) || !int_column_read(&d->r, count, values))
		return false;
	for (uint32_t i = 0; i < count; i++)
		steps[at[i]] = values[i];
	return true;
}

/* As they were sent: BLOCK_STEP_NONE if one is to be assigned. */
static bool get_sent_steps(struct decoder *d, int64_t *steps)
{
	unsigned how = sections_byte(&d->r);

	if (how == STEPS_OF_ALL)
		return int_column_read(&d->r, d->row_count, steps);
	for (uint32_t i = 0; i < d->row_count; i++)
		steps[i] = BLOCK_STEP_NONE;
	if (how == STEPS_OF_SOME)
		return get_some_steps(d, steps);
	return how == STEPS_OF_NONE || fail(d);
}

static bool get_steps(struct decoder *d, int64_t *steps)
{
	int64_t current = d->ask->last_step;

	if (!get_sent_steps(d, steps))
		return false;
	for (uint32_t i = 0; i < d->row_count; i++) {
		if (steps[i] < BLOCK_STEP_NONE || steps[i] > INT64_MAX / 4)
			return fail(d);
		if (steps[i] == BLOCK_STEP_NONE)
			steps[i] = ++current;
		else if (steps[i] > current)
			current = steps[i];
	}
	return true;
}

/* Reads count and rows of one kind of cells. False with the reader failed, or if there are none. */
static bool get_spread(struct decoder *d, unsigned how, uint32_t *ret_count,
		       const uint32_t **ret_rows)
{
	int64_t *listed;
	uint32_t *rows;

	*ret_rows = NULL;
	*ret_count = how == SPREAD_ALL ? d->row_count : 0;
	if (how == SPREAD_LISTED)
		*ret_count = sections_count(&d->r, d->row_count);
	else if (how > SPREAD_LISTED)
		return fail(d);
	if (*ret_count > d->cells_left)
		return fail(d);
	d->cells_left -= *ret_count;
	if (how != SPREAD_LISTED)
		return *ret_count > 0;
	listed = codec_ints(&d->codec->fields, *ret_count);
	if (!get_row_list(d, *ret_count, listed))
		return false;
	rows = arena_alloc(d->arena, (*ret_count + (size_t)1) * sizeof(*rows));
	for (uint32_t i = 0; i < *ret_count; i++)
		rows[i] = (uint32_t)listed[i];
	*ret_rows = rows;
	return *ret_count > 0;
}

static void get_cells(struct decoder *d, struct block_column *column)
{
	unsigned how = sections_byte(&d->r);
	double *numbers;
	struct str *texts;

	if (get_spread(d, how & SPREAD_MASK, &column->number_count, &column->number_rows)) {
		numbers = arena_alloc(d->arena, column->number_count * sizeof(*numbers));
		column->numbers = numbers;
		if (!numbers_read(d->codec, &d->r, column->number_count, numbers))
			return;
	}
	if (!d->r.failed &&
	    get_spread(d, how >> SPREAD_BITS, &column->text_count, &column->text_rows)) {
		texts = arena_alloc(d->arena, column->text_count * sizeof(*texts));
		column->texts = texts;
		if (!texts_read(d->codec, &d->r, d->arena, column->text_count, texts))
			return;
	}
}

static uint32_t skip_spread(struct decoder *d, unsigned how)
{
	uint32_t count;

	if (how == SPREAD_NONE)
		return 0;
	if (how == SPREAD_ALL)
		return d->row_count;
	count = sections_count(&d->r, d->row_count);
	int_column_skip(&d->r, count);
	return count;
}

static void skip_cells(struct decoder *d)
{
	unsigned how = sections_byte(&d->r);

	numbers_skip(&d->r, skip_spread(d, how & SPREAD_MASK));
	if (how >> SPREAD_BITS && !texts_skip(d->codec, &d->r, skip_spread(d, how >> SPREAD_BITS)))
		d->r.failed = true;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool is_asked(const struct block_ask *ask, uint32_t key_id)
{
	return !ask->key_ids ||
	       bsearch(&key_id, ask->key_ids, ask->key_count, sizeof(*ask->key_ids), compare_ids);
}

static bool get_columns(struct decoder *d, struct block *block)
{
	uint32_t count = sections_count(&d->r, BLOCK_MAX_CELLS);
	size_t meta_left = (size_t)(d->r.end[SECTION_META] - d->r.at[SECTION_META]);
	struct block_column *columns;
	int64_t id = 0;

	if (count > meta_left) /* each takes a byte at least */
		return fail(d);
	if (d->ask->key_ids && count > d->ask->key_count)
		columns = arena_new_array(d->arena, struct block_column, d->ask->key_count + 1);
	else
		columns = arena_new_array(d->arena, struct block_column, count + 1);
	block->columns = columns;
	for (uint32_t i = 0; i < count && !d->r.failed; i++) {
		id += sections_signed(&d->r);
		if (id < 0 || id >= BLOCK_KEY_NONE)
			return fail(d);
		if (!is_asked(d->ask, (uint32_t)id)) {
			skip_cells(d);
			continue;
		}
		if (d->ask->key_ids && block->column_count == d->ask->key_count)
			return fail(d);
		columns[block->column_count].key_id = (uint32_t)id;
		get_cells(d, &columns[block->column_count++]);
	}
	return !d->r.failed;
}

err_t block_decode(struct codec *c, struct arena *a, struct str bytes, const struct block_ask *ask,
		   struct block *ret_block)
{
	struct decoder d = { .codec = c, .arena = a, .ask = ask, .cells_left = BLOCK_MAX_CELLS };
	struct block block = { 0 };
	int64_t *rows;
	int64_t *steps;
	err_t e = frame_read(c, a, FRAME_BLOCK, bytes, &d.r);

	if (e)
		return e;
	d.row_count = sections_count(&d.r, BLOCK_MAX_ROWS);
	rows = arena_alloc(a, (d.row_count + (size_t)1) * sizeof(*rows));
	steps = arena_alloc(a, (d.row_count + (size_t)1) * sizeof(*steps));
	block.row_count = d.row_count;
	block.rows = rows;
	block.steps = steps;
	if (!get_rows(&d, rows) || !get_steps(&d, steps) || !get_columns(&d, &block) ||
	    !sections_done(&d.r))
		return frame_damaged(a, FRAME_BLOCK);
	*ret_block = block;
	return NULL;
}
