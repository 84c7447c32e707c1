/* Mean and squares are carried on run by run (Welford), so that no run has to be kept. */
#include "group.h"

#include <math.h>
#include <stdlib.h>

/* Before the values are: the first to come says where the bucket's steps are. */
static void add_steps(struct group_bucket *all, const struct bucket *b)
{
	const bool is_first = !group_has(all);

	if (is_first || b->step_first < all->step_first)
		all->step_first = b->step_first;
	if (is_first || b->step_last > all->step_last)
		all->step_last = b->step_last;
}

static void add_finite(struct group_bucket *all, const struct bucket *b)
{
	double apart;

	if (!b->n)
		return;
	all->min = !all->runs || b->min < all->min ? b->min : all->min;
	all->max = !all->runs || b->max > all->max ? b->max : all->max;
	all->runs++;
	all->n += b->n;
	apart = b->mean - all->mean;
	all->mean += apart / all->runs;
	all->square += apart * (b->mean - all->mean);
}

void group_add(struct group_bucket *all, const struct bucket *buckets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct bucket *b = &buckets[i];
		struct group_bucket *to = &all[b->at];

		add_steps(to, b);
		add_finite(to, b);
		to->nan += b->nan;
		to->pinf += b->pinf;
		to->ninf += b->ninf;
	}
}

void group_keep(double *values, size_t most, const struct group_bucket *all,
		const struct bucket *buckets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = buckets[i].at;

		if (buckets[i].n && all[at].runs < most)
			values[at * most + all[at].runs] = buckets[i].mean;
	}
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;

	return (x > y) - (x < y);
}

void group_order(double *values, size_t count)
{
	qsort(values, count, sizeof(values[0]), by_number);
}

/* Between two, as far as the share lies between them. */
double group_percentile(const double *values, size_t count, double share)
{
	const double place = share * (double)(count - 1);
	const size_t at = (size_t)place;
	const double part = place - (double)at;

	return part > 0 ? values[at] * (1 - part) + values[at + 1] * part : values[at];
}

double group_deviation(const struct group_bucket *b)
{
	if (b->runs < 2)
		return (double)NAN;
	return sqrt(b->square / (b->runs - 1));
}
