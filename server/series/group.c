/* Mean and squares are updated run by run (Welford), so that no run has to be kept. */
#include "group.h"

#include <math.h>
#include <stdlib.h>

enum { APART_COUNTED = 256 }; /* distances, each counted; few runs are further apart */

/* Before the values are added: the first run sets the bucket's steps. */
static void add_steps(struct group_bucket *all, const struct bucket *b)
{
	const bool is_first = !group_has(all);

	if (is_first || b->step_first < all->step_first)
		all->step_first = b->step_first;
	if (is_first || b->step_last > all->step_last)
		all->step_last = b->step_last;
}

static void add_run(struct group_bucket *all, const struct bucket *b)
{
	double apart;

	all->min = !all->runs || b->min < all->min ? b->min : all->min;
	all->max = !all->runs || b->max > all->max ? b->max : all->max;
	all->runs++;
	apart = b->mean - all->mean;
	all->mean += apart / all->runs;
	all->square += apart * (b->mean - all->mean);
}

static double on_line(double from, double to, double share)
{
	return from * (1 - share) + to * share;
}

/* A run's share in the bucket `at` between two of its own. */
static struct bucket between(const struct bucket *b, uint32_t at)
{
	const double share = (double)(at - b->at) / (double)(b[1].at - b->at);

	return (struct bucket){
		.at = at,
		.min = on_line(b->min, b[1].min, share),
		.max = on_line(b->max, b[1].max, share),
		.mean = on_line(b->mean, b[1].mean, share),
	};
}

/* The distance that at least half of a run's buckets are within. */
static uint32_t usual_apart(const struct bucket *buckets, uint32_t count)
{
	uint32_t often[APART_COUNTED] = { 0 };
	uint32_t apart = 0;

	for (uint32_t i = 1; i < count; i++) {
		apart = buckets[i].at - buckets[i - 1].at;
		often[apart < APART_COUNTED ? apart : 0]++;
	}
	apart = 0;
	for (uint32_t below = 0; below <= (count - 1) / 2; below += often[apart])
		if (++apart == APART_COUNTED)
			return (buckets[count - 1].at - buckets[0].at) / (count - 1);
	return apart;
}

/* A run's buckets, and how far apart they may be to interpolate between them. */
struct reach {
	const struct bucket *buckets;
	uint32_t count;
	uint32_t most;
};

static struct reach reach_of(const struct bucket *buckets, uint32_t count)
{
	const uint32_t most = count > 1 ? GROUP_REACH * usual_apart(buckets, count) : 0;

	return (struct reach){ buckets, count, most };
}

/* The bucket up to which the run is interpolated after the one `i`, which has a finite value. */
static uint32_t end_of(const struct reach *r, uint32_t i)
{
	const struct bucket *b = &r->buckets[i];

	if (i + 1 == r->count || !b[1].n || b[1].at - b->at > r->most)
		return b->at + 1;
	return b[1].at;
}

void group_add(struct group_bucket *all, const struct bucket *buckets, uint32_t count)
{
	const struct reach reach = reach_of(buckets, count);

	for (uint32_t i = 0; i < count; i++) {
		const struct bucket *b = &buckets[i];
		struct group_bucket *to = &all[b->at];

		add_steps(to, b);
		to->n += b->n;
		to->nan += b->nan;
		to->pinf += b->pinf;
		to->ninf += b->ninf;
		if (!b->n)
			continue;
		add_run(to, b);
		for (uint32_t at = b->at + 1; at < end_of(&reach, i); at++) {
			const struct bucket line = between(b, at);

			add_run(&all[at], &line);
		}
	}
}

void group_keep(double *values, size_t most, const struct group_bucket *all,
		const struct bucket *buckets, uint32_t count)
{
	const struct reach reach = reach_of(buckets, count);

	for (uint32_t i = 0; i < count; i++) {
		const struct bucket *b = &buckets[i];

		if (!b->n)
			continue;
		for (uint32_t at = b->at; at < end_of(&reach, i); at++)
			if (all[at].runs < most)
				values[at * most + all[at].runs] =
					at == b->at ? b->mean : between(b, at).mean;
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

/* Interpolates between two values by the share. */
double group_percentile(const double *values, size_t count, double share)
{
	const double position = share * (double)(count - 1);
	const size_t at = (size_t)position;
	const double part = position - (double)at;

	return part > 0 ? values[at] * (1 - part) + values[at + 1] * part : values[at];
}

double group_deviation(const struct group_bucket *b)
{
	if (b->runs < 2)
		return (double)NAN;
	return sqrt(b->square / (b->runs - 1));
}
