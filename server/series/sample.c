/*
 * The share of bucket b are the steps from ceil(b range / k) on, in exact integers. Series mostly
 * move on, so the bounds of the bucket last used are kept and a division is needed only where it
 * changes. Points are added one by one: adding up runs of them first would be faster, but where a
 * run ends depends on what is compacted, and so would the last bits of the sum.
 */
#include "sample.h"

#include <assert.h>
#include <math.h>

#include "arena.h"

struct wide {
	struct bucket b; /* without its mean */
	double sum;
	uint64_t points; /* finite or not */
};

struct sample {
	struct arena *arena;
	int64_t step_first;
	int64_t step_last;
	uint32_t count;
	struct wide *buckets;
	struct wide *now; /* the bucket used last, */
	int64_t now_from; /* and its share, both within; none at the start */
	int64_t now_to;
};

struct sample *sample_new(struct arena *a, int64_t step_first, int64_t step_last, uint32_t buckets)
{
	struct sample *s = arena_new_of(a, struct sample);

	assert(buckets >= 1 && buckets <= SAMPLE_MAX_BUCKETS);
	assert(step_first >= 0 && step_last <= INT64_MAX / 2);
	*s = (struct sample){ .arena = a,
			      .step_first = step_first,
			      .step_last = step_last,
			      .count = buckets,
			      .now_from = 1,
			      .now_to = 0 };
	s->buckets = arena_new_array(a, struct wide, buckets);
	return s;
}

/* The first step of a bucket's share. */
static int64_t share_from(const struct sample *s, uint32_t bucket)
{
	unsigned __int128 range = (unsigned __int128)(s->step_last - s->step_first) + 1;

	return s->step_first + (int64_t)((bucket * range + s->count - 1) / s->count);
}

/* The bucket of a step; NULL outside the range. */
static struct wide *bucket_of(struct sample *s, int64_t step)
{
	unsigned __int128 range;
	uint32_t at;

	if (step >= s->now_from && step <= s->now_to)
		return s->now;
	if (step < s->step_first || step > s->step_last)
		return NULL;
	range = (unsigned __int128)(s->step_last - s->step_first) + 1;
	at = (uint32_t)((unsigned __int128)(step - s->step_first) * s->count / range);
	s->now = &s->buckets[at];
	s->now_from = share_from(s, at);
	s->now_to = share_from(s, at + 1) - 1;
	return s->now;
}

/* Rows, steps, first and last of a bucket that gets these too. */
static inline void extend(struct wide *w, const struct cell *c)
{
	struct bucket *b = &w->b;
	bool empty = w->points == 0;

	if (empty || c->row_first < b->row_first) {
		b->row_first = c->row_first;
		b->first = c->first;
	}
	if (empty || c->row_last > b->row_last) {
		b->row_last = c->row_last;
		b->last = c->last;
	}
	if (empty || c->step_min < b->step_first)
		b->step_first = c->step_min;
	if (empty || c->step_max > b->step_last)
		b->step_last = c->step_max;
	w->points += cell_count(c);
}

static inline void add_values(struct wide *w, const struct cell *c)
{
	struct bucket *b = &w->b;

	if (c->n > 0) {
		b->min = b->n == 0 || c->min < b->min ? c->min : b->min;
		b->max = b->n == 0 || c->max > b->max ? c->max : b->max;
		w->sum += c->sum;
	}
	b->n += c->n;
	b->nan += c->nan;
	b->pinf += c->pinf;
	b->ninf += c->ninf;
}

/* A cell of one value, inline and so in registers: one rule for cells and points. */
static inline struct cell cell_of(int64_t row, int64_t step, double value)
{
	return (struct cell){
		.row_first = row,
		.row_last = row,
		.step_min = step,
		.step_max = step,
		.first = value,
		.last = value,
		.min = value,
		.max = value,
		.sum = value,
		.n = isfinite(value),
		.nan = isnan(value),
		.pinf = isinf(value) && value > 0,
		.ninf = isinf(value) && value < 0,
	};
}

void sample_add_cells(struct sample *s, const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct wide *w = cell_count(&cells[i]) ? bucket_of(s, cells[i].step_min) : NULL;

		if (!w)
			continue;
		extend(w, &cells[i]);
		add_values(w, &cells[i]);
	}
}

void sample_add_points(struct sample *s, const struct cell_values *points)
{
	for (uint32_t i = 0; i < points->count; i++) {
		struct wide *w = bucket_of(s, points->steps[i]);
		struct cell point;

		if (!w)
			continue;
		point = cell_of(points->rows[i], points->steps[i], points->numbers[i]);
		extend(w, &point);
		add_values(w, &point);
	}
}

uint32_t sample_finish(struct sample *s, struct bucket **ret_buckets)
{
	struct bucket *out = arena_new_array(s->arena, struct bucket, s->count);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct wide *w = &s->buckets[i];

		if (w->points == 0)
			continue;
		out[n] = w->b;
		if (w->b.n == 0)
			out[n].min = out[n].max = out[n].mean = (double)NAN;
		else
			out[n].mean = w->sum / (double)w->b.n;
		n++;
	}
	*ret_buckets = out;
	return n;
}
