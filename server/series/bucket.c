#include "bucket.h"

#include <math.h>

/* ---- rates -------------------------------------------------------------------------------------- */

struct reading {
	double value; /* NaN: none yet */
	int64_t position;
};

static double rate_between(struct reading from, struct reading to, double positions_per_unit)
{
	double grown = to.value < from.value ? to.value : to.value - from.value;

	return grown / ((double)(to.position - from.position) / positions_per_unit);
}

uint32_t bucket_rates(struct bucket *buckets, uint32_t count, double positions_per_unit)
{
	struct reading before = { (double)NAN, 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct bucket b = buckets[i];
		struct reading end = { b.last, b.step_last };

		if (!isfinite(end.value))
			continue;
		if (isnan(before.value) && isfinite(b.first))
			before = (struct reading){ b.first, b.step_first };
		if (before.position < end.position && !isnan(before.value)) {
			b.mean = rate_between(before, end, positions_per_unit);
			b.first = b.last = b.min = b.max = b.mean;
			buckets[kept++] = b;
		}
		before = end;
	}
	return kept;
}

/* ---- several as one ----------------------------------------------------------------------------- */

static uint64_t values_of(const struct bucket *b)
{
	return b->n + b->nan + b->pinf + b->ninf;
}

static void join_finite(struct bucket *to, const struct bucket *b)
{
	double share = (double)b->n / (double)(to->n + b->n);

	if (!b->n)
		return;
	to->min = !to->n || b->min < to->min ? b->min : to->min;
	to->max = !to->n || b->max > to->max ? b->max : to->max;
	to->mean = to->n ? to->mean * (1 - share) + b->mean * share : b->mean;
	to->n += b->n;
}

static void join_one(struct bucket *to, const struct bucket *b)
{
	if (!values_of(to)) {
		*to = *b;
		return;
	}
	if (b->row_first < to->row_first) {
		to->row_first = b->row_first;
		to->first = b->first;
	}
	if (b->row_last > to->row_last) {
		to->row_last = b->row_last;
		to->last = b->last;
	}
	to->step_first = b->step_first < to->step_first ? b->step_first : to->step_first;
	to->step_last = b->step_last > to->step_last ? b->step_last : to->step_last;
	join_finite(to, b);
	to->nan += b->nan;
	to->pinf += b->pinf;
	to->ninf += b->ninf;
}

void bucket_join(struct bucket *all, const struct bucket *buckets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		join_one(&all[buckets[i].at], &buckets[i]);
}

uint32_t bucket_pack(struct bucket *all, uint32_t size)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < size; i++) {
		if (values_of(&all[i]))
			all[kept++] = all[i];
	}
	return kept;
}
