/*
 * Cells as columns of their members. Members that usually follow from another are stored as the
 * difference to it (the last step as distance from the first, the smallest step as distance below
 * it), so that regular series cost only the five numbers.
 */
#include "rollup.h"

#include <math.h>

#include "arena.h"
#include "codec_parts.h"
#include "numbers.h"
#include "int_column.h"

enum { MAX_CELLS = 1 << 16 };

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

/* Adds finite values if all are less than CELL_LARGE; false: there are others. */
static bool add_plain(struct cell *c, const double *numbers, uint32_t count)
{
	double min = c->n ? c->min : numbers[0];
	double max = c->n ? c->max : numbers[0];
	double sum = c->sum;
	bool plain = cell_unit(min, max) == 1;

	for (uint32_t i = 0; i < count; i++) {
		double v = numbers[i];

		plain &= fabs(v) < CELL_LARGE;
		min = v < min ? v : min;
		max = v > max ? v : max;
		sum += v;
	}
	if (!plain)
		return false;
	c->min = min;
	c->max = max;
	c->sum = sum;
	c->n += count;
	return true;
}

static void add_steps(struct cell *c, const int64_t *steps, uint32_t count)
{
	int64_t min = c->step_min;
	int64_t max = c->step_max;

	for (uint32_t i = 0; i < count; i++) {
		min = steps[i] < min ? steps[i] : min;
		max = steps[i] > max ? steps[i] : max;
	}
	c->step_min = min;
	c->step_max = max;
	c->step_last = steps[count - 1];
}

/* Like cell_add() for each of them; there is at least one. */
static void add_all(struct cell *c, const struct cell_values *v, uint32_t from, uint32_t count)
{
	if (cell_count(c) == 0)
		begin(c, v->rows[from], v->steps[from], v->numbers[from]);
	c->row_last = v->rows[from + count - 1];
	c->last = v->numbers[from + count - 1];
	add_steps(c, v->steps + from, count);
	if (add_plain(c, v->numbers + from, count))
		return;
	for (uint32_t i = 0; i < count; i++)
		add_value(c, v->numbers[from + i]);
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
	uint32_t room = (uint32_t)(CELL_VALUES - index % CELL_VALUES);
	uint32_t made = 0;

	for (uint32_t i = 0; i < values->count; i += room, room = CELL_VALUES) {
		if (room > values->count - i)
			room = values->count - i;
		if (made)
			cells[made] = (struct cell){ 0 };
		add_all(&cells[made++], values, i, room);
	}
	return made;
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
	int64_t *column = codec_ints(&c->fields, count);
	int64_t fields[FIELDS];

	for (int f = 0; f < FIELDS; f++) {
		for (uint32_t i = 0; i < count; i++) {
			to_fields(&cells[i], fields);
			column[i] = fields[f];
		}
		int_column_write(c, column, count);
	}
}

void rollup_encode(struct codec *c, const struct cell *cells, uint32_t count, struct buf *out)
{
	double *column;

	sections_add_varint(&c->sections, count);
	put_fields(c, cells, count);
	column = (double *)codec_ints(&c->fields, count);
	for (int member = 0; member < NUMBERS; member++) {
		for (uint32_t i = 0; i < count; i++)
			column[i] = number_in(&cells[i], member);
		numbers_write(c, column, count);
	}
	frame_write(c, FRAME_ROLLUP, out);
}

static void from_fields(const int64_t *column, uint32_t count, uint32_t i, struct cell *c)
{
	const int64_t *f = column + i;

	c->row_first = f[FIELD_ROW * count];
	c->row_last = sum(c->row_first, f[FIELD_ROWS * count]);
	c->step_first = f[FIELD_STEP * count];
	c->step_last = sum(c->step_first, f[FIELD_STEPS * count]);
	c->step_min = sum(c->step_first, (int64_t)(0 - (uint64_t)f[FIELD_BELOW * count]));
	c->step_max = sum(c->step_last, f[FIELD_ABOVE * count]);
	c->n = (uint32_t)f[FIELD_N * count];
	c->nan = (uint32_t)f[FIELD_NAN * count];
	c->pinf = (uint32_t)f[FIELD_PINF * count];
	c->ninf = (uint32_t)f[FIELD_NINF * count];
}

static bool get_fields(struct codec *c, struct sections_reader *r, struct cell *cells,
		       uint32_t count)
{
	int64_t *columns = codec_ints(&c->fields, FIELDS * count);

	for (uint32_t f = 0; f < FIELDS; f++) {
		if (!int_column_read(r, count, columns + (size_t)f * count))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		from_fields(columns, count, i, &cells[i]);
	return true;
}

static bool get_numbers(struct codec *c, struct sections_reader *r, struct cell *cells,
			uint32_t count)
{
	double *column = (double *)codec_ints(&c->fields, count);

	for (int member = 0; member < NUMBERS; member++) {
		if (!numbers_read(c, r, count, column))
			return false;
		for (uint32_t i = 0; i < count; i++)
			*number_of(&cells[i], member) = column[i];
	}
	return true;
}

static err_t open_rollup(struct codec *c, struct arena *a, struct str bytes, uint32_t room,
			 struct sections_reader *ret_reader, uint32_t *ret_count)
{
	err_t e = frame_read(c, a, FRAME_ROLLUP, bytes, ret_reader);

	if (e)
		return e;
	*ret_count = sections_count(ret_reader, room);
	return ret_reader->failed ? frame_damaged(a, FRAME_ROLLUP) : NULL;
}

static err_t take_cells(struct codec *c, struct arena *a, struct sections_reader *r,
			struct cell *cells, uint32_t count)
{
	if (get_fields(c, r, cells, count) && get_numbers(c, r, cells, count) && sections_done(r))
		return NULL;
	return frame_damaged(a, FRAME_ROLLUP);
}

err_t rollup_decode_into(struct codec *c, struct arena *a, struct str bytes, struct cell *cells,
			 uint32_t room, uint32_t *ret_count)
{
	struct sections_reader r;
	err_t e = open_rollup(c, a, bytes, room, &r, ret_count);

	return e ? e : take_cells(c, a, &r, cells, *ret_count);
}

err_t rollup_decode(struct codec *c, struct arena *a, struct str bytes, struct cell **ret_cells,
		    uint32_t *ret_count)
{
	struct sections_reader r;
	err_t e = open_rollup(c, a, bytes, MAX_CELLS, &r, ret_count);

	if (e)
		return e;
	*ret_cells = arena_new_array(a, struct cell, *ret_count + 1);
	return take_cells(c, a, &r, *ret_cells, *ret_count);
}
