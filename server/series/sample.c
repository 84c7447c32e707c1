/*
 * A bucket gets memory with its first value: a chart of few values in many buckets costs only what
 * the values take. Until the end its mean is the sum of its values, in the units of a cell's.
 *
 * The share of bucket b are the steps from ceil(b range / k) on, in exact integers. Series mostly
 * advance, so the bounds of the bucket last used are kept and a division is needed only if it
 * changes. Points are added one by one: adding up runs of them first would be faster, but where a
 * run ends depends on what is compacted, and so would the last bits of the sum.
 */
#include "sample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "arena.h"

struct sample {
	struct arena *arena;
	int64_t step_first;
	int64_t step_last;
	enum sample_scale scale;
	const int64_t *edges; /* SAMPLE_EDGES; else NULL */
	double base; /* of real numbers: the least, halved, and how many buckets are a half */
	double density;
	uint32_t count;
	uint32_t *filled_at; /* of each bucket: its position in `filled`, from 1; 0: it is empty */
	struct bucket *filled;
	uint32_t filled_count;
	uint32_t filled_last; /* the greatest of the buckets that are filled */
	bool in_disorder;     /* they were not filled one after the other */
	uint32_t room;
	struct bucket *now; /* the bucket used last, */
	int64_t now_from;   /* and the first step of its share */
	uint64_t now_steps; /* of its share; 0: not known */
};

/* Halves: the distance between two numbers may overflow, that of their halves does not. */
static double measure(enum sample_scale scale, int64_t position)
{
	double x = scale == SAMPLE_WHOLE_LOG ? (double)position : sample_real(position);

	return (scale == SAMPLE_REAL ? x : log(x)) / 2;
}

static void set_scale(struct sample *s, const struct sample_shape *shape)
{
	double range;

	s->scale = shape->scale;
	if (s->scale == SAMPLE_WHOLE)
		return;
	if (s->scale == SAMPLE_EDGES) {
		s->edges = shape->edges;
		s->step_first = s->edges[0];
		s->step_last = s->edges[s->count] - 1;
		return;
	}
	if (s->scale == SAMPLE_LOG && s->step_first <= sample_position(0))
		s->step_first = sample_position(0) + 1;
	if (s->scale == SAMPLE_WHOLE_LOG && s->step_first < 1)
		s->step_first = 1;
	s->base = measure(s->scale, s->step_first);
	range = measure(s->scale, s->step_last) - s->base;
	s->density = range > 0 ? s->count / range : 0;
}

struct sample *sample_new(struct arena *a, const struct sample_shape *shape)
{
	struct sample *s = arena_new_of(a, struct sample);
	uint32_t count = shape->buckets;

	assert(count >= 1 && count <= SAMPLE_MAX_BUCKETS);
	assert(shape->scale != SAMPLE_WHOLE ||
	       (shape->step_first >= 0 && shape->step_last <= INT64_MAX / 2));
	*s = (struct sample){ .arena = a,
			      .step_first = shape->step_first,
			      .step_last = shape->step_last,
			      .count = count,
			      .room = shape->points < count ? (uint32_t)shape->points : count };
	set_scale(s, shape);
	s->filled_at = arena_new_array(a, uint32_t, count);
	s->filled =
		arena_alloc(a, s->room * sizeof(*s->filled)); /* each is begun when it is filled */
	return s;
}

/* n * m / d rounded down; most often 64 bits are enough. */
static uint64_t scaled(uint64_t n, uint32_t m, uint64_t d)
{
	if (n <= UINT64_MAX / m)
		return n * m / d;
	return (uint64_t)((unsigned __int128)n * m / d);
}

/* The first step of a bucket's share. */
static int64_t share_from(const struct sample *s, uint32_t bucket)
{
	uint64_t range = (uint64_t)(s->step_last - s->step_first) + 1;

	if (s->edges)
		return s->edges[bucket];
	if (!bucket)
		return s->step_first;
	if (range <= UINT64_MAX / s->count - 1)
		return s->step_first + (int64_t)((range * bucket + s->count - 1) / s->count);
	return s->step_first +
	       (int64_t)(((unsigned __int128)range * bucket + s->count - 1) / s->count);
}

/* More values than were announced: they came after the counting. */
static void make_room(struct sample *s)
{
	struct bucket *all = arena_alloc(s->arena, s->count * sizeof(*all));

	if (s->filled_count)
		memcpy(all, s->filled, s->filled_count * sizeof(*all));
	s->filled = all;
	s->room = s->count;
}

static uint32_t whole_bucket(const struct sample *s, int64_t step)
{
	uint64_t range = (uint64_t)(s->step_last - s->step_first) + 1;

	return (uint32_t)scaled((uint64_t)(step - s->step_first), s->count, range);
}

static uint32_t real_bucket(const struct sample *s, int64_t position)
{
	double at = (measure(s->scale, position) - s->base) * s->density;

	return at < s->count - 1 ? (uint32_t)at : s->count - 1;
}

/* The last bucket that begins at the step or before it: others that begin there are empty. */
static uint32_t edged_bucket(const struct sample *s, int64_t step)
{
	uint32_t low = 0;
	uint32_t high = s->count - 1;

	while (low < high) {
		uint32_t middle = high - (high - low) / 2;

		if (s->edges[middle] <= step)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static uint32_t bucket_at(const struct sample *s, int64_t step)
{
	if (s->edges)
		return edged_bucket(s, step);
	return s->scale == SAMPLE_WHOLE ? whole_bucket(s, step) : real_bucket(s, step);
}

/* The bucket of a step that a value is about to be added to; NULL outside the range. */
static struct bucket *bucket_of(struct sample *s, int64_t step)
{
	uint32_t at;

	if ((uint64_t)step - (uint64_t)s->now_from < s->now_steps)
		return s->now;
	if (step < s->step_first || step > s->step_last)
		return NULL;
	at = bucket_at(s, step);
	if (!s->filled_at[at]) {
		if (s->filled_count == s->room)
			make_room(s);
		s->in_disorder |= s->filled_count && at < s->filled_last;
		s->filled_last = at > s->filled_last ? at : s->filled_last;
		s->filled_at[at] = ++s->filled_count;
		s->filled[s->filled_count - 1] = (struct bucket){ .at = at };
	}
	s->now = &s->filled[s->filled_at[at] - 1];
	if (s->scale == SAMPLE_WHOLE || s->edges) {
		s->now_from = share_from(s, at);
		s->now_steps = (uint64_t)share_from(s, at + 1) - (uint64_t)s->now_from;
	}
	return s->now;
}

/* Rows, steps, first and last of a bucket that gets these too. */
static inline void extend(struct bucket *b, const struct cell *c)
{
	bool empty = b->n + b->nan + b->pinf + b->ninf == 0;

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
}

/* The bucket's sum is in units of `had`, and in larger ones from now on. */
static void add_large(struct bucket *b, const struct cell *c, double had)
{
	double unit = cell_unit(b->min, b->max);

	b->mean = cell_rescaled(b->mean, had, unit) +
		  cell_rescaled(c->sum, cell_unit(c->min, c->max), unit);
}

static inline void add_values(struct bucket *b, const struct cell *c)
{
	if (c->n > 0) {
		double least = b->min;
		double greatest = b->max;

		b->min = b->n == 0 || c->min < b->min ? c->min : b->min;
		b->max = b->n == 0 || c->max > b->max ? c->max : b->max;
		if (cell_unit(b->min, b->max) == 1)
			b->mean += c->sum; /* nothing was larger before */
		else
			add_large(b, c, cell_unit(least, greatest));
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
		.sum = cell_rescaled(value, 1, cell_unit(value, value)),
		.n = isfinite(value),
		.nan = isnan(value),
		.pinf = isinf(value) && value > 0,
		.ninf = isinf(value) && value < 0,
	};
}

static int64_t step_within(const struct sample *s, const struct cell *c)
{
	return c->step_min < s->step_first && c->step_max >= s->step_first ? s->step_first
									   : c->step_min;
}

void sample_add_cells(struct sample *s, const struct cell *cells, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct bucket *b = cell_count(&cells[i]) ? bucket_of(s, step_within(s, &cells[i]))
							 : NULL;

		if (!b)
			continue;
		extend(b, &cells[i]);
		add_values(b, &cells[i]);
	}
}

void sample_add_points(struct sample *s, const struct cell_values *points)
{
	for (uint32_t i = 0; i < points->count; i++) {
		struct bucket *b = bucket_of(s, points->steps[i]);
		struct cell point;

		if (!b)
			continue;
		point = cell_of(points->rows[i], points->steps[i], points->numbers[i]);
		extend(b, &point);
		add_values(b, &point);
	}
}

/* Rounding, or a sum that was stored when it could overflow, must not lead beyond the values. */
static double mean_of(const struct bucket *b)
{
	double mean = b->mean / (double)b->n * cell_unit(b->min, b->max);

	if (!(mean >= b->min))
		return b->min;
	return mean > b->max ? b->max : mean;
}

static struct bucket *in_order(struct sample *s)
{
	struct bucket *out;
	uint32_t n = 0;

	if (!s->in_disorder)
		return s->filled;
	out = arena_alloc(s->arena, s->filled_count * sizeof(*out));
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->filled_at[i])
			out[n++] = s->filled[s->filled_at[i] - 1];
	}
	return out;
}

uint32_t sample_finish(struct sample *s, struct bucket **ret_buckets)
{
	struct bucket *out = in_order(s);

	for (uint32_t i = 0; i < s->filled_count; i++) {
		struct bucket *b = &out[i];

		if (b->n == 0)
			b->min = b->max = b->mean = (double)NAN;
		else
			b->mean = mean_of(b);
	}
	*ret_buckets = out;
	return s->filled_count;
}

static struct sample axis_of(const struct sample_shape *shape)
{
	struct sample s = { .step_first = shape->step_first,
			    .step_last = shape->step_last,
			    .count = shape->buckets };

	set_scale(&s, shape);
	return s;
}

double sample_edge(const struct sample_shape *shape, uint32_t bucket)
{
	const struct sample s = axis_of(shape);
	double half;

	if (shape->scale == SAMPLE_WHOLE)
		return (double)share_from(&s, bucket);
	if (bucket == shape->buckets)
		return shape->scale == SAMPLE_WHOLE_LOG ? (double)s.step_last
							: sample_real(s.step_last);
	half = s.base + (s.density > 0 ? bucket / s.density : 0);
	return shape->scale == SAMPLE_REAL ? 2 * half : exp(2 * half);
}

/* The edge is rounded; real_bucket() decides on which side of it a number is. */
int64_t sample_first(const struct sample_shape *shape, uint32_t bucket)
{
	const struct sample s = axis_of(shape);
	int64_t first;

	if (shape->scale == SAMPLE_WHOLE || !bucket)
		return share_from(&s, bucket);
	first = (int64_t)sample_edge(shape, bucket);
	first = first < s.step_first ? s.step_first : first;
	while (first > s.step_first && real_bucket(&s, first - 1) >= bucket)
		first--;
	while (first <= s.step_last && real_bucket(&s, first) < bucket)
		first++;
	return first;
}
