#include "best_value.h"

#include <math.h>

/* Below zero: `one` is the better one; above: `other`. */
static int compare_numbers(enum best_goal goal, double one, double other)
{
	return goal == BEST_MAX ? (other > one) - (other < one) : (one > other) - (one < other);
}

static int compare(int64_t one, int64_t other)
{
	return (one > other) - (one < other);
}

static double best_of(enum best_goal goal, const struct cell *cell)
{
	return goal == BEST_MAX ? cell->max : cell->min;
}

static int compare_cells(enum best_goal goal, const struct cell *one, const struct cell *other)
{
	int order = compare_numbers(goal, best_of(goal, one), best_of(goal, other));

	if (order == 0)
		order = compare(one->step_min, other->step_min);
	return order == 0 ? compare(one->row_first, other->row_first) : order;
}

const struct cell *best_cell(enum best_goal goal, const struct cell *found,
			     const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (cells[i].n && (!found || compare_cells(goal, &cells[i], found) < 0))
			found = &cells[i];
	}
	return found;
}

struct best_span best_span_of(const struct cell *best)
{
	return (struct best_span){ best->step_min, best->step_max, best->row_first,
				   best->row_last };
}

void best_span_add(struct best_span *span, enum best_goal goal, const struct cell *best,
		   const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct cell *cell = &cells[i];

		if (!cell->n || cell->step_min > span->step_max ||
		    compare_numbers(goal, best_of(goal, cell), best_of(goal, best)) != 0)
			continue;
		span->row_first = cell->row_first < span->row_first ? cell->row_first
								    : span->row_first;
		span->row_last = cell->row_last > span->row_last ? cell->row_last : span->row_last;
	}
}

static struct best_value value_at(const struct cell_values *values, uint32_t i)
{
	return (struct best_value){ true, values->rows[i], values->steps[i], values->numbers[i] };
}

static bool is_better(enum best_goal goal, const struct best_value *one,
		      const struct best_value *other)
{
	int order = compare_numbers(goal, one->number, other->number);

	if (order == 0)
		order = compare(one->step, other->step);
	return order == 0 ? one->row < other->row : order < 0;
}

void best_value_add(struct best_value *best, enum best_goal goal, const struct cell_values *values)
{
	for (uint32_t i = 0; i < values->count; i++) {
		const struct best_value one = value_at(values, i);

		if (isfinite(one.number) && (!best->is_there || is_better(goal, &one, best)))
			*best = one;
	}
}

struct known_span known_span_of(const struct best_value *at)
{
	return (struct known_span){ at->step, INT64_MIN, INT64_MAX, INT64_MIN };
}

void known_span_begin(struct known_span *span, const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (cell_count(&cells[i]) && cells[i].step_max <= span->step &&
		    cells[i].step_max > span->step_from)
			span->step_from = cells[i].step_max;
	}
}

void known_span_add(struct known_span *span, const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct cell *cell = &cells[i];

		if (!cell_count(cell) || cell->step_min > span->step ||
		    cell->step_max < span->step_from)
			continue;
		span->row_first = cell->row_first < span->row_first ? cell->row_first
								    : span->row_first;
		span->row_last = cell->row_last > span->row_last ? cell->row_last : span->row_last;
	}
}

static bool is_nearer(const struct best_value *one, const struct best_value *other,
		      const struct best_value *at)
{
	if (one->step != other->step)
		return one->step > other->step;
	if ((one->row == at->row) != (other->row == at->row))
		return one->row == at->row;
	return one->row > other->row;
}

void known_value_add(struct best_value *known, const struct best_value *at,
		     const struct cell_values *values)
{
	for (uint32_t i = 0; i < values->count; i++) {
		const struct best_value one = value_at(values, i);

		if (one.step <= at->step && (!known->is_there || is_nearer(&one, known, at)))
			*known = one;
	}
}
