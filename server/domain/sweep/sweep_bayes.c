#include "sweep_bayes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_math.h"
#include "sweep_points.h"
#include "sweep_process.h"
#include "sweep_sample.h"

enum {
	STARTUP_MOST = 10,
	CANDIDATES = 1000,  /* uniform ones */
	AROUND_SAMPLES = 5, /* the best samples that have candidates around them */
	AROUND_EACH = 40,
	ROUNDS = 3, /* of candidates around the best candidate */
	ROUND_CANDIDATES = 100,
	BEST_KEPT = BAYES_SAMPLES_MAX / 4,
	CHOICES_MOST = 32, /* of a parameter whose choices have an axis each */
	AXES_MOST = 256,   /* with more of them no parameter has several */
};

/* The distance of two choices without an order, from each other and from a parameter that is not there: as of 0 and 1/2. */
static const double choice_distance = 0.5;

#define ROOT_2 1.4142135623730951

/* Shares of the variance that may be noise. */
static const double noises[] = { 0, 0.01, 0.05, 0.2, 0.5 };
/* How far from the best value others may be, in the distance that three quarters of them keep. */
static const double outlier_distance = 3;
/* The coordinate of a parameter that a point does not have. */
static const double absent = 0.5;

struct search {
	struct arena *arena;
	struct sweep_draw *draw;
	struct sweep_points points; /* all of them, for what is taken */
	bool is_finite;
	/* The points that are used, samples, then pending ones, as the model sees them: rows of `axes`. */
	size_t axes;
	bool is_flat; /* every parameter has one axis */
	double *x;
	double *y;
	size_t samples, pending;
	struct sweep_process process;
	const double **around; /* the best samples */
	double best;           /* least value of the samples, normalised */
};

/* ---- the samples that are used ---- */

static void swap(size_t *items, size_t one, size_t other)
{
	size_t kept = items[one];

	items[one] = items[other];
	items[other] = kept;
}

/* The numbers of the samples that are used: the best ones, then some of the others by chance. */
static size_t choose(struct search *s, const double *y, size_t count, size_t **ret_chosen)
{
	size_t *all = arena_new_array(s->arena, size_t, count + 1);

	for (size_t i = 0; i < count; i++)
		all[i] = i;
	*ret_chosen = all;
	for (size_t i = 0; i < count && i < BEST_KEPT; i++) {
		size_t best = i;

		for (size_t j = i + 1; j < count; j++) {
			if (y[all[j]] < y[all[best]])
				best = j;
		}
		swap(all, i, best);
	}
	if (count <= BAYES_SAMPLES_MAX)
		return count;
	for (size_t i = BEST_KEPT; i < BAYES_SAMPLES_MAX; i++)
		swap(all, i, i + sweep_draw_below(s->draw, count - i));
	return BAYES_SAMPLES_MAX;
}

static int by_size(const void *one, const void *other)
{
	double x = *(const double *)one, y = *(const double *)other;

	return (x > y) - (x < y);
}

/* Lowers values far above the others: one result that diverged must not make all others look alike. */
static void lower_outliers(struct arena *a, double *y, size_t count)
{
	double *sorted = arena_copy(a, y, count * sizeof *y);
	double best, most;

	qsort(sorted, count, sizeof *sorted, by_size);
	best = sorted[0];
	most = best + outlier_distance * (sorted[(count - 1) * 3 / 4] - best);
	for (size_t i = 0; i < count && most > best; i++) {
		if (y[i] > most)
			y[i] = most;
	}
}

/* Choices without an order get an axis each, so that all are equally far from each other. */
static size_t axes_of(const struct search *s, const struct sweep_dimension *d)
{
	bool is_spread = d->kind == SWEEP_DIMENSION_CATEGORICAL && !d->is_ordered &&
			 d->count <= CHOICES_MOST && !s->is_flat;

	return is_spread ? (size_t)d->count : 1;
}

static size_t count_axes(const struct search *s)
{
	size_t axes = 0;

	for (size_t i = 0; i < s->points.dimensions; i++)
		axes += axes_of(s, &s->points.dimension[i]);
	return axes;
}

/* A point as the model sees it. */
static void place(const struct search *s, const double *u, double *ret_x)
{
	for (size_t i = 0; i < s->points.dimensions; i++) {
		const struct sweep_dimension *d = &s->points.dimension[i];
		size_t axes = axes_of(s, d);

		for (size_t j = 0; j < axes; j++)
			ret_x[j] = 0;
		if (axes > 1 && !isnan(u[i]))
			ret_x[sweep_dimension_index(d, u[i])] = choice_distance / ROOT_2;
		else if (axes == 1)
			ret_x[0] = isnan(u[i]) ? absent : u[i];
		ret_x += axes;
	}
}

static struct search begin(struct arena *a, const struct sweep_samples *samples,
			   struct sweep_draw *draw)
{
	struct search s = { .arena = a, .draw = draw, .points = sweep_points_make(a, samples) };
	size_t d = samples->dimensions;
	size_t first = samples->pending > BAYES_PENDING_MAX ? samples->pending - BAYES_PENDING_MAX
							    : 0;
	size_t *chosen;

	s.is_flat = count_axes(&s) > AXES_MOST;
	s.axes = count_axes(&s);
	s.is_finite = sweep_points_are_finite(&s.points);
	s.samples = choose(&s, samples->y, samples->count, &chosen);
	s.pending = samples->pending - first;
	s.x = arena_new_array(a, double, (s.samples + s.pending) * s.axes + 1);
	s.y = arena_new_array(a, double, s.samples + s.pending + 1);
	s.around = arena_new_array(a, const double *, s.samples + 1);
	for (size_t i = 0; i < s.samples; i++) {
		s.around[i] = s.points.rows + chosen[i] * d;
		place(&s, s.around[i], s.x + i * s.axes);
		s.y[i] = samples->y[chosen[i]];
	}
	if (s.samples)
		lower_outliers(a, s.y, s.samples);
	for (size_t i = 0; i < s.pending; i++)
		place(&s, s.points.rows + (samples->count + first + i) * d,
		      s.x + (s.samples + i) * s.axes);
	return s;
}

/* ---- the model ---- */

/* The value to improve: the least one, or, with noise, the least that the model believes in. */
static double best_value(struct search *s)
{
	const struct sweep_process *p = &s->process;
	double *mean = arena_new_array(s->arena, double, s->samples);
	double *deviation = arena_new_array(s->arena, double, s->samples);
	double best = INFINITY;

	if (p->noise > 0)
		sweep_process_predict(s->arena, p, s->x, s->samples, mean, deviation);
	for (size_t i = 0; i < s->samples; i++) {
		double value = p->noise > 0 ? mean[i] : (s->y[i] - p->mean) / (p->deviation + 1e-6);

		if (value < best)
			best = value;
	}
	return best;
}

/* Adds the pending points with the values that are expected there. */
static enum sweep_process_fit add_fantasies(struct search *s)
{
	const struct sweep_process p = s->process;
	double *mean = s->y + s->samples;
	double *deviation = arena_new_array(s->arena, double, s->pending);

	sweep_process_predict(s->arena, &p, s->x + s->samples * s->axes, s->pending, mean,
			      deviation);
	for (size_t i = 0; i < s->pending; i++)
		mean[i] = p.mean + mean[i] * (p.deviation + 1e-6);
	return sweep_process_fit(s->arena, s->x, s->y, s->samples + s->pending, s->axes, &p.noise,
				 1, &s->process);
}

static enum sweep_process_fit fit(struct search *s)
{
	enum sweep_process_fit result = sweep_process_fit(s->arena, s->x, s->y, s->samples, s->axes,
							  noises, sizeof noises / sizeof *noises,
							  &s->process);

	if (result == SWEEP_FIT_BOUND || !s->pending)
		return result;
	return add_fantasies(s);
}

/* ---- candidates ---- */

struct candidates {
	double *u; /* rows */
	size_t count, size;
	size_t best; /* of those weighed */
	double improvement;
	bool is_taken; /* the best one was tried before: all are */
};

/* A candidate as the model sees it. */
static void add_candidate(struct search *s, struct candidates *c, const double *u)
{
	size_t d = s->points.dimensions;
	double *row = c->u + c->count++ * d;

	memcpy(row, u, d * sizeof *u);
	sweep_dimensions_snap(s->points.dimension, d, row);
}

static void add_uniform(struct search *s, struct candidates *c, double *u)
{
	for (size_t i = 0; i < CANDIDATES; i++) {
		sweep_points_draw(&s->points, s->draw, u);
		add_candidate(s, c, u);
	}
}

static double moved(const struct sweep_dimension *d, double u, double distance, double share,
		    struct sweep_draw *draw)
{
	double turn = sweep_draw_unit(draw), drawn = sweep_draw_unit(draw);

	if (turn > share)
		return u;
	if (d->kind == SWEEP_DIMENSION_CATEGORICAL)
		return drawn;
	u += distance * sweep_normal_inverse(drawn);
	if (u < 0)
		return 0x1p-53;
	return u > 1 ? 1 - 0x1p-53 : u;
}

/* Candidates around a point. */
static void add_around(struct search *s, struct candidates *c, const double *centre, size_t count,
		       double distance, double *u)
{
	size_t d = s->points.dimensions;

	for (size_t i = 0; i < count; i++) {
		/* Half of them differ in about two coordinates only. */
		double share = i % 2 || d < 3 ? 1 : 2 / (double)d;

		for (size_t j = 0; j < d; j++) {
			double from = isnan(centre[j]) ? absent : centre[j];

			u[j] = moved(&s->points.dimension[j], from, distance, share, s->draw);
		}
		add_candidate(s, c, u);
	}
}

/* Looks for the best among the candidates from `first` on. */
static void weigh(struct search *s, struct candidates *c, size_t first)
{
	size_t d = s->points.dimensions, count = c->count - first;
	double *x = arena_new_array(s->arena, double, count * s->axes + 1);
	double *mean = arena_new_array(s->arena, double, count);
	double *deviation = arena_new_array(s->arena, double, count);

	for (size_t i = 0; i < count; i++)
		place(s, c->u + (first + i) * d, x + i * s->axes);
	sweep_process_predict(s->arena, &s->process, x, count, mean, deviation);
	for (size_t i = 0; i < count; i++) {
		double found = sweep_process_improvement(mean[i], deviation[i], s->best);
		bool is_taken;

		if (found <= c->improvement && !c->is_taken)
			continue;
		is_taken = s->is_finite && sweep_points_have(&s->points, c->u + (first + i) * d);
		if (is_taken && (!c->is_taken || found <= c->improvement))
			continue;
		c->is_taken = is_taken;
		c->improvement = found;
		c->best = first + i;
	}
}

static const double *best_candidate(struct search *s)
{
	static const double distances[ROUNDS] = { 0.1, 0.03, 0.01 };
	size_t d = s->points.dimensions;
	size_t size = CANDIDATES + AROUND_SAMPLES * AROUND_EACH + ROUNDS * ROUND_CANDIDATES;
	struct candidates c = {
		.u = arena_new_array(s->arena, double, size *d + 1),
		.improvement = -INFINITY,
		.is_taken = true,
	};
	double *u = arena_new_array(s->arena, double, d + 1);

	add_uniform(s, &c, u);
	for (size_t i = 0; i < AROUND_SAMPLES && i < s->samples; i++) {
		add_around(s, &c, s->around[i], AROUND_EACH / 2, 0.1, u);
		add_around(s, &c, s->around[i], AROUND_EACH / 2, 0.02, u);
	}
	weigh(s, &c, 0);
	for (size_t i = 0; i < ROUNDS; i++) {
		size_t first = c.count;

		add_around(s, &c, c.u + c.best * d, ROUND_CANDIDATES, distances[i], u);
		weigh(s, &c, first);
	}
	return c.u + c.best * d;
}

size_t sweep_bayes_startup(size_t dimensions)
{
	return dimensions + 2 < STARTUP_MOST ? dimensions + 2 : STARTUP_MOST;
}

void sweep_bayes_next(struct arena *a, const struct sweep_samples *samples, struct sweep_draw *draw,
		      double *ret_u, const char **ret_note)
{
	struct search s = begin(a, samples, draw);
	const double *found;

	*ret_note = NULL;
	if (samples->count < sweep_bayes_startup(samples->dimensions)) {
		*ret_note = "random: too few results yet";
		sweep_points_draw(&s.points, draw, ret_u);
		return;
	}
	if (fit(&s) == SWEEP_FIT_BOUND) {
		*ret_note = "random: all results are equal";
		sweep_points_draw(&s.points, draw, ret_u);
		return;
	}
	s.best = best_value(&s);
	found = best_candidate(&s);
	for (size_t i = 0; i < samples->dimensions; i++)
		ret_u[i] = isnan(found[i]) ? absent : found[i];
}
