/*
 * Cells as columns of their members. What usually follows from something else is kept as the
 * difference to it (the last step as distance from the first, the smallest step as distance below
 * it), so that regular series cost only the five numbers.
 */
#include "rollup.h"

#include <math.h>

#include "arena.h"
#include "codec_parts.h"
#include "numbers.h"
#include "words.h"

enum { MAX_CELLS = 1 << 20 };

static void begin(struct cell *c, int64_t row, int64_t step, double value)
{
	*c = (struct cell){
		.row_first = row,
		.row_last = row,
		.step_first = step,
		.step_last = step,
		.step_min = step,
		.step_max = step,
		.first = value,
		.last = value,
		.min = (double)NAN,
		.max = (double)NAN,
	};
}

static void add_value(struct cell *c, double value)
{
	if (isnan(value)) {
		c->nan++;
	} else if (isinf(value)) {
		c->pinf += value > 0;
		c->ninf += value < 0;
	} else {
		double had = cell_unit(c->min, c->max);
		double unit;

		c->min = c->n == 0 || value < c->min ? value : c->min;
		c->max = c->n == 0 || value > c->max ? value : c->max;
		unit = cell_unit(c->min, c->max);
		c->sum = cell_rescaled(c->sum, had, unit) + cell_rescaled(value, 1, unit);
		c->n++;
	}
}

void cell_add(struct cell *c, int64_t row, int64_t step, double value)
{
	if (cell_count(c) == 0)
		begin(c, row, step, value);
	c->row_last = row;
	c->step_last = step;
	c->last = value;
	c->step_min = step < c->step_min ? step : c->step_min;
	c->step_max = step > c->step_max ? step : c->step_max;
	add_value(c, value);
}

static void merge_values(struct cell *c, const struct cell *other)
{
	if (other->n > 0) {
		double had = cell_unit(c->min, c->max);
		double others = cell_unit(other->min, other->max);
		double unit;

		c->min = c->n == 0 || other->min < c->min ? other->min : c->min;
		c->max = c->n == 0 || other->max > c->max ? other->max : c->max;
		unit = cell_unit(c->min, c->max);
		c->sum = cell_rescaled(c->sum, had, unit) + cell_rescaled(other->sum, others, unit);
		c->n += other->n;
	}
	c->nan += other->nan;
	c->pinf += other->pinf;
	c->ninf += other->ninf;
}

void cell_merge(struct cell *c, const struct cell *other)
{
	if (cell_count(other) == 0)
		return;
	if (cell_count(c) == 0) {
		*c = *other;
		return;
	}
	if (other->row_first < c->row_first) {
		c->row_first = other->row_first;
		c->step_first = other->step_first;
		c->first = other->first;
	}
	if (other->row_last > c->row_last) {
		c->row_last = other->row_last;
		c->step_last = other->step_last;
		c->last = other->last;
	}
	c->step_min = other->step_min < c->step_min ? other->step_min : c->step_min;
	c->step_max = other->step_max > c->step_max ? other->step_max : c->step_max;
	merge_values(c, other);
}

uint32_t rollup_add(struct cell *cells, uint64_t index, const struct cell_values *values)
{
	uint64_t first = index / CELL_VALUES;
	uint64_t at = first;

	if (values->count == 0)
		return 0;
	for (uint32_t i = 0; i < values->count; i++) {
		uint64_t cell = (index + i) / CELL_VALUES;

		if (cell != at) {
			cells[cell - first] = (struct cell){ 0 };
			at = cell;
		}
		cell_add(&cells[cell - first], values->rows[i], values->steps[i],
			 values->numbers[i]);
	}
	return (uint32_t)(at - first) + 1;
}

/* The integer members of a cell as they are kept. */
enum {
	FIELD_ROW,
	FIELD_ROWS,
	FIELD_STEP,
	FIELD_STEPS,
	FIELD_BELOW,
	FIELD_ABOVE,
	FIELD_N,
	FIELD_NAN,
	FIELD_PINF,
	FIELD_NINF,
	FIELDS
};

static void to_fields(const struct cell *c, int64_t f[static FIELDS])
{
	f[FIELD_ROW] = c->row_first;
	f[FIELD_ROWS] = c->row_last - c->row_first;
	f[FIELD_STEP] = c->step_first;
	f[FIELD_STEPS] = c->step_last - c->step_first;
	f[FIELD_BELOW] = c->step_first - c->step_min;
	f[FIELD_ABOVE] = c->step_max - c->step_last;
	f[FIELD_N] = c->n;
	f[FIELD_NAN] = c->nan;
	f[FIELD_PINF] = c->pinf;
	f[FIELD_NINF] = c->ninf;
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void from_fields(const int64_t f[static FIELDS], struct cell *c)
{
	c->row_first = f[FIELD_ROW];
	c->row_last = sum(c->row_first, f[FIELD_ROWS]);
	c->step_first = f[FIELD_STEP];
	c->step_last = sum(c->step_first, f[FIELD_STEPS]);
	c->step_min = sum(c->step_first, (int64_t)(0 - (uint64_t)f[FIELD_BELOW]));
	c->step_max = sum(c->step_last, f[FIELD_ABOVE]);
	c->n = (uint32_t)f[FIELD_N];
	c->nan = (uint32_t)f[FIELD_NAN];
	c->pinf = (uint32_t)f[FIELD_PINF];
	c->ninf = (uint32_t)f[FIELD_NINF];
}

static const size_t number_members[] = { offsetof(struct cell, first), offsetof(struct cell, last),
					 offsetof(struct cell, min), offsetof(struct cell, max),
					 offsetof(struct cell, sum) };
enum { NUMBERS = sizeof(number_members) / sizeof(number_members[0]) };

static double *number_of(struct cell *c, int member)
{
	return (double *)(void *)((char *)c + number_members[member]);
}

static double number_in(const struct cell *c, int member)
{
	return *(const double *)(const void *)((const char *)c + number_members[member]);
}

static void put_fields(struct codec *c, const struct cell *cells, uint32_t count)
{
	int64_t *column = codec_words(&c->fields, count);
	int64_t fields[FIELDS];

	for (int f = 0; f < FIELDS; f++) {
		for (uint32_t i = 0; i < count; i++) {
			to_fields(&cells[i], fields);
			column[i] = fields[f];
		}
		words_write(c, column, count);
	}
}

void rollup_encode(struct codec *c, const struct cell *cells, uint32_t count, struct buf *out)
{
	double *column;

	lanes_add_varint(&c->lanes, count);
	put_fields(c, cells, count);
	column = (double *)codec_words(&c->fields, count);
	for (int member = 0; member < NUMBERS; member++) {
		for (uint32_t i = 0; i < count; i++)
			column[i] = number_in(&cells[i], member);
		numbers_write(c, column, count);
	}
	frame_write(c, FRAME_ROLLUP, out);
}

static bool get_fields(struct arena *a, struct lanes_reader *r, struct cell *cells, uint32_t count)
{
	int64_t *columns = arena_alloc(a, (size_t)FIELDS * count * sizeof(*columns));
	int64_t fields[FIELDS];

	for (int f = 0; f < FIELDS; f++) {
		if (!words_read(r, count, columns + (size_t)f * count))
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		for (int f = 0; f < FIELDS; f++)
			fields[f] = columns[(size_t)f * count + i];
		from_fields(fields, &cells[i]);
	}
	return true;
}

static bool get_numbers(struct codec *c, struct lanes_reader *r, struct cell *cells, uint32_t count)
{
	double *column = (double *)codec_words(&c->fields, count);

	for (int member = 0; member < NUMBERS; member++) {
		if (!numbers_read(c, r, count, column))
			return false;
		for (uint32_t i = 0; i < count; i++)
			*number_of(&cells[i], member) = column[i];
	}
	return true;
}

err_t rollup_decode(struct codec *c, struct arena *a, struct str bytes, struct cell **ret_cells,
		    uint32_t *ret_count)
{
	struct lanes_reader r;
	struct cell *cells;
	uint32_t count;
	err_t e = frame_read(c, a, FRAME_ROLLUP, bytes, &r);

	if (e)
		return e;
	count = lanes_count(&r, MAX_CELLS);
	cells = arena_new_array(a, struct cell, count + 1);
	if (!get_fields(a, &r, cells, count) || !get_numbers(c, &r, cells, count) ||
	    !lanes_done(&r))
		return frame_damaged(a, FRAME_ROLLUP);
	*ret_cells = cells;
	*ret_count = count;
	return NULL;
}
