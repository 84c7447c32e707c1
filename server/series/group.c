/* Mean and squares are carried on run by run (Welford), so that no run has to be kept. */
#include "group.h"

#include <math.h>

static void add(struct group_bucket *all, const struct bucket *b)
{
	double apart;

	if (!all->runs || b->step_first < all->step_first)
		all->step_first = b->step_first;
	if (!all->runs || b->step_last > all->step_last)
		all->step_last = b->step_last;
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
		if (buckets[i].n)
			add(&all[buckets[i].at], &buckets[i]);
	}
}

double group_deviation(const struct group_bucket *b)
{
	if (b->runs < 2)
		return (double)NAN;
	return sqrt(b->square / (b->runs - 1));
}
