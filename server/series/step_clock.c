#include "step_clock.h"

#include <math.h>

#include "arena.h"

static int64_t microseconds(double seconds)
{
	return llround(seconds * 1e6);
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A bucket's first step is reached with a row of it, or of one after it. */
static void mark_firsts(struct step_clock *c, const struct bucket *buckets, uint32_t count)
{
	int64_t reached = INT64_MAX;
	struct clock_point *end = c->points + c->count;

	for (uint32_t i = count; i-- > 0;) {
		if (!buckets[i].n)
			continue;
		reached = lesser(reached, microseconds(buckets[i].min));
		*--end = (struct clock_point){ reached, buckets[i].step_first };
	}
}

static void add_last(struct step_clock *c, double seconds, int64_t step)
{
	const struct clock_point *last = &c->points[c->count - 1];
	struct clock_point point = { greater(microseconds(seconds), last->time), step };

	if (point.time > last->time || point.step > last->step)
		c->points[c->count++] = point;
}

/*
 * The first steps are followed by the greatest step and the last row. Either may be of an earlier
 * bucket: a cell of rows is placed at its least step, and may reach further than those after it.
 */
struct step_clock step_clock_make(struct arena *a, const struct bucket *buckets, uint32_t count)
{
	struct step_clock c = { 0 };
	const struct bucket *furthest = NULL;
	double latest = -INFINITY;

	for (uint32_t i = 0; i < count; i++) {
		if (!buckets[i].n)
			continue;
		c.count++;
		if (!furthest || buckets[i].step_last >= furthest->step_last)
			furthest = &buckets[i];
		latest = fmax(latest, buckets[i].max);
	}
	if (!furthest)
		return c;
	c.points = arena_new_array(a, struct clock_point, c.count + 2);
	mark_firsts(&c, buckets, count);
	add_last(&c, furthest->max, furthest->step_last);
	add_last(&c, latest, furthest->step_last);
	return c;
}

/* a * b / d, of numbers not below 0; `up` rounds up, else down. */
static int64_t share(int64_t a, int64_t b, int64_t d, bool up)
{
	unsigned __int128 product = (unsigned __int128)(uint64_t)a * (uint64_t)b;

	return (int64_t)((product + (up ? (uint64_t)d - 1 : 0)) / (uint64_t)d);
}

int64_t step_clock_step(const struct step_clock *c, int64_t time)
{
	const struct clock_point *m = c->points;
	size_t low = 0; /* so many points are not after the time */
	size_t high = c->count;

	time = time < m[0].time ? m[0].time : time;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->count)
		return m[low - 1].step;
	m += low - 1;
	return m[0].step +
	       share(time - m[0].time, m[1].step - m[0].step, m[1].time - m[0].time, false);
}

int64_t step_clock_time(const struct step_clock *c, int64_t step)
{
	const struct clock_point *m = c->points;
	size_t low = 0; /* so many points are before the step */
	size_t high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->count)
		return INT64_MAX;
	if (!low)
		return m[0].time;
	m += low - 1;
	return m[0].time +
	       share(step - m[0].step, m[1].time - m[0].time, m[1].step - m[0].step, true);
}
