#include "sweep_tpe.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_parzen.h"
#include "sweep_points.h"
#include "sweep_sample.h"

enum {
	STARTUP = 10, /* random points first */
	/* Candidates times points: 96 candidates up to 1,000 points, 24 from 4,000 on. */
	CANDIDATES_LEAST = 24,
	CANDIDATES_MOST = 96,
	CANDIDATES_POINTS = 96000,
	BELOW_MOST = 25,       /* samples that are good */
	ROUNDS_MOST = 64,      /* of candidates, as long as all were tried before */
	ROUNDS_POINTS = 20000, /* points that all rounds together compare with */
};

struct search {
	struct arena *arena;
	struct sweep_draw *draw;
	struct sweep_points points;
	bool *is_below;              /* for each point */
	size_t candidates;           /* that are compared */
	double *candidate, *snapped; /* scratch, a point each */
};

struct ranked {
	double y;
	size_t sample;
};

static int by_value(const void *one, const void *other)
{
	const struct ranked *x = one, *y = other;

	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return (x->sample > y->sample) - (x->sample < y->sample);
}

/* The best tenth is below; of equal values the older ones. */
static void split(struct search *s, const struct sweep_samples *samples)
{
	size_t below = (samples->count + 9) / 10;
	struct ranked *ranked = arena_new_array(s->arena, struct ranked, samples->count);

	s->is_below = arena_new_array(s->arena, bool, s->points.count);
	for (size_t i = 0; i < samples->count; i++)
		ranked[i] = (struct ranked){ samples->y[i], i };
	qsort(ranked, samples->count, sizeof *ranked, by_value);
	for (size_t i = 0; i < below && i < BELOW_MOST; i++)
		s->is_below[ranked[i].sample] = true;
}

/* ---- groups ---- */

static bool is_same_condition(const struct sweep_activation *one,
			      const struct sweep_activation *other)
{
	return one->dimension == other->dimension && one->count == other->count &&
	       (one->count == 0 ||
		memcmp(one->spans, other->spans, one->count * sizeof *one->spans) == 0);
}

static bool is_same_group(const struct sweep_dimension *one, const struct sweep_dimension *other)
{
	if (one->condition_count != other->condition_count)
		return false;
	for (size_t i = 0; i < one->condition_count; i++) {
		if (!is_same_condition(&one->conditions[i], &other->conditions[i]))
			return false;
	}
	return true;
}

/* The dimensions of the group of `first`; none if it is in the group of an earlier one. */
static size_t group_of(const struct search *s, size_t first, size_t *ret_columns)
{
	const struct sweep_dimension *d = s->points.dimension;
	size_t count = 0;

	for (size_t i = 0; i < first; i++) {
		if (is_same_group(&d[i], &d[first]))
			return 0;
	}
	for (size_t i = first; i < s->points.dimensions; i++) {
		if (is_same_group(&d[i], &d[first]))
			ret_columns[count++] = i;
	}
	return count;
}

/* ---- candidates ---- */

/* A group with the two densities of its points. */
struct group {
	const size_t *columns;
	size_t count;
	const struct sweep_parzen *below, *above;
};

static const struct sweep_parzen *density(const struct search *s, const struct group *g,
					  bool is_below)
{
	const struct sweep_points *p = &s->points;
	size_t *chosen = arena_new_array(s->arena, size_t, p->count);
	size_t count = 0, left_out = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (s->is_below[i] == is_below &&
		    !isnan(p->rows[i * p->dimensions + g->columns[0]]))
			chosen[count++] = i;
	}
	if (count > TPE_ABOVE_MAX)
		left_out = count - TPE_ABOVE_MAX;
	return sweep_parzen_new(s->arena, &(struct sweep_parzen_points){
						  .dimension = p->dimension,
						  .width = p->dimensions,
						  .columns = g->columns,
						  .column_count = g->count,
						  .rows = p->rows,
						  .chosen = chosen + left_out,
						  .count = count - left_out,
					  });
}

static bool is_new(const struct search *s, const double *u)
{
	size_t d = s->points.dimensions;

	memcpy(s->snapped, u, d * sizeof *u);
	sweep_dimensions_snap(s->points.dimension, d, s->snapped);
	return !sweep_points_have(&s->points, s->snapped);
}

/* The best candidate for the group's coordinates; with is_new_only the best new one, if there is one. */
static void search_group(const struct search *s, const struct group *g, bool is_new_only, double *u)
{
	double best = -INFINITY;
	bool has_new = false;

	for (size_t i = 0; i < s->candidates; i++) {
		double ratio;
		bool is_better;

		sweep_parzen_draw(g->below, s->draw, s->candidate);
		ratio = sweep_parzen_log(g->below, s->candidate) -
			sweep_parzen_log(g->above, s->candidate);
		is_better = i == 0 || ratio > best;
		if (is_new_only && (is_better || !has_new) && is_new(s, s->candidate)) {
			is_better = is_better || !has_new;
			has_new = true;
		} else if (has_new) {
			continue;
		}
		if (!is_better)
			continue;
		best = ratio;
		for (size_t j = 0; j < g->count; j++)
			u[g->columns[j]] = s->candidate[g->columns[j]];
	}
}

static size_t make_groups(const struct search *s, struct group *ret_groups)
{
	size_t *columns = arena_new_array(s->arena, size_t, s->points.dimensions + 1);
	size_t groups = 0;

	for (size_t i = 0; i < s->points.dimensions; i++) {
		struct group *g = &ret_groups[groups];

		g->columns = columns;
		g->count = group_of(s, i, columns);
		if (!g->count)
			continue;
		columns += g->count;
		g->below = density(s, g, true);
		g->above = density(s, g, false);
		groups++;
	}
	return groups;
}

static size_t count_candidates(size_t points)
{
	size_t count = CANDIDATES_POINTS / points;

	if (count < CANDIDATES_LEAST)
		return CANDIDATES_LEAST;
	return count < CANDIDATES_MOST ? count : CANDIDATES_MOST;
}

void sweep_tpe_next(struct arena *a, const struct sweep_samples *samples, struct sweep_draw *draw,
		    double *ret_u, const char **ret_note)
{
	struct search s = { .arena = a, .draw = draw, .points = sweep_points_make(a, samples) };
	bool is_finite = sweep_points_are_finite(&s.points);
	struct group *groups;
	size_t count, rounds;

	*ret_note = NULL;
	if (samples->count < STARTUP) {
		*ret_note = "random: too few results yet";
		sweep_points_draw(&s.points, draw, ret_u);
		return;
	}
	split(&s, samples);
	s.candidates = count_candidates(s.points.count);
	s.candidate = arena_new_array(a, double, samples->dimensions + 1);
	s.snapped = arena_new_array(a, double, samples->dimensions + 1);
	groups = arena_new_array(a, struct group, samples->dimensions + 1);
	count = make_groups(&s, groups);
	rounds = 1 + ROUNDS_POINTS / s.points.count;
	for (size_t round = 0; round < rounds && round < ROUNDS_MOST; round++) {
		for (size_t i = 0; i < count; i++)
			search_group(&s, &groups[i], is_finite && count == 1, ret_u);
		if (!is_finite || is_new(&s, ret_u))
			return;
	}
}
