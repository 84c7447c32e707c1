#include "sweep_grid.h"

#include <math.h>

int64_t sweep_grid_steps(const struct sweep_parameter *p)
{
	return (int64_t)ceil((p->max - p->min) / p->q);
}

void sweep_grid_step(const struct sweep_parameter *p, int64_t index, struct sweep_value *ret_value)
{
	double step = (p->min + p->q) - p->min;

	*ret_value = (struct sweep_value){ .kind = p->is_int ? SWEEP_INT : SWEEP_REAL };
	if (p->is_int)
		ret_value->whole = p->whole_min + index * (int64_t)p->q;
	else
		ret_value->real = p->min + (double)index * step;
}

int64_t sweep_grid_next(const struct sweep_space *s, const int64_t *taken, size_t count)
{
	int64_t next = sweep_space_from(s, 0);

	for (size_t i = 0; i < count && next != SWEEP_POINT_NONE; i++) {
		if (taken[i] > next)
			break;
		if (taken[i] == next)
			next = sweep_space_from(s, next + 1);
	}
	return next;
}

/* The number of those that are below `point`. */
static size_t count_below(const int64_t *taken, size_t count, int64_t point)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (taken[middle] < point)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static int64_t free_above(const struct sweep_space *s, const int64_t *taken, size_t count,
			  int64_t point)
{
	int64_t next = sweep_space_from(s, point);

	for (size_t i = count_below(taken, count, point); i < count && next != SWEEP_POINT_NONE;
	     i++) {
		if (taken[i] > next)
			break;
		if (taken[i] == next)
			next = sweep_space_from(s, next + 1);
	}
	return next;
}

static int64_t free_below(const struct sweep_space *s, const int64_t *taken, size_t count,
			  int64_t point)
{
	int64_t next = sweep_space_before(s, point);

	for (size_t i = count_below(taken, count, point + 1);
	     i-- > 0 && next != SWEEP_POINT_NONE;) {
		if (taken[i] < next)
			break;
		if (taken[i] == next)
			next = sweep_space_before(s, next - 1);
	}
	return next;
}

int64_t sweep_grid_nearest(const struct sweep_space *s, const int64_t *taken, size_t count,
			   int64_t point)
{
	int64_t above = free_above(s, taken, count, point);
	int64_t below = free_below(s, taken, count, point);

	if (above == SWEEP_POINT_NONE || below == SWEEP_POINT_NONE)
		return above == SWEEP_POINT_NONE ? below : above;
	return point - below <= above - point ? below : above;
}
