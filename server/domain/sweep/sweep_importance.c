#include "sweep_importance.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_math.h"
#include "sweep_sample.h"

enum {
	GRID_MOST = 50,   /* bins that a numeric dimension is divided into */
	REGIME_LEAST = 2, /* points that have a parameter, for it to be looked at */
};

/* ---- ranks ---- */

struct ranked {
	double value;
	size_t place;
};

static int by_value(const void *one, const void *other)
{
	const struct ranked *x = one, *y = other;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static struct ranked *rank(struct arena *a, const double *values, size_t count)
{
	struct ranked *ranked = arena_new_array(a, struct ranked, count + 1);

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ values[i], i };
	qsort(ranked, count, sizeof *ranked, by_value);
	return ranked;
}

/* Equal values share the mean of their ranks. */
static double *ranks_of(struct arena *a, const double *values, size_t count)
{
	const struct ranked *ranked = rank(a, values, count);
	double *ranks = arena_new_array(a, double, count);
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && ranked[end].value == ranked[i].value;)
			end++;
		for (size_t j = i; j < end; j++)
			ranks[ranked[j].place] = 0.5 * (double)(i + end - 1);
	}
	return ranks;
}

double sweep_rank_correlation(struct arena *a, const double *x, const double *y, size_t count)
{
	double *one = arena_new_array(a, double, count + 1);
	double *other = arena_new_array(a, double, count + 1);
	double both = 0, first = 0, second = 0, middle;
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(x[i]) || isnan(y[i]))
			continue;
		one[pairs] = x[i];
		other[pairs++] = y[i];
	}
	if (pairs < 2)
		return NAN;
	middle = 0.5 * (double)(pairs - 1);
	one = ranks_of(a, one, pairs);
	other = ranks_of(a, other, pairs);
	for (size_t i = 0; i < pairs; i++) {
		both += (one[i] - middle) * (other[i] - middle);
		first += (one[i] - middle) * (one[i] - middle);
		second += (other[i] - middle) * (other[i] - middle);
	}
	return first > 0 && second > 0 ? both / sqrt(first * second) : NAN;
}

/* ---- a dimension's density on a grid ---- */

struct grid {
	const struct sweep_dimension *dimension;
	size_t bins;
	bool is_ordered;
	size_t *bin_of; /* for each sample; of those without the parameter nothing */
};

/* Doubled until it reaches `count`, and one more: the bins of a quantised dimension on a logarithmic scale. */
static size_t doublings(double count)
{
	size_t bins = 1;

	for (double reached = 1; reached < count; reached *= 2)
		bins++;
	return bins;
}

static size_t bins_of(const struct sweep_dimension *d)
{
	double values;

	if (d->kind == SWEEP_DIMENSION_CATEGORICAL)
		return (size_t)d->count;
	if (d->kind == SWEEP_DIMENSION_WHOLE)
		return d->count < GRID_MOST ? (size_t)d->count : GRID_MOST;
	if (!sweep_dimension_is_finite(d))
		return GRID_MOST;
	if (d->scale == SWEEP_SCALE_LOG)
		values = (double)doublings((sweep_exp(d->high) - sweep_exp(d->low)) / d->step + 1);
	else
		values = rint((d->high - d->low) / d->step) + 1;
	return values < GRID_MOST ? (size_t)values : GRID_MOST;
}

/* From 0 at the least value to 1 at the greatest. */
static double place_of(const struct sweep_dimension *d, double u)
{
	if (d->kind == SWEEP_DIMENSION_WHOLE && d->count > 1)
		return (double)sweep_dimension_index(d, u) / (double)(d->count - 1);
	return u;
}

static struct grid grid_of(struct arena *a, const struct sweep_samples *s, size_t column)
{
	const struct sweep_dimension *d = &s->dimension[column];
	struct grid g = {
		.dimension = d,
		.bins = bins_of(d),
		.is_ordered = d->kind != SWEEP_DIMENSION_CATEGORICAL,
		.bin_of = arena_new_array(a, size_t, s->count),
	};

	for (size_t i = 0; i < s->count; i++) {
		double u = sweep_dimension_inside(d, s->x[i * s->dimensions + column]);
		double bin;

		if (isnan(u))
			continue;
		if (!g.is_ordered) {
			g.bin_of[i] = (size_t)sweep_dimension_index(d, u);
			continue;
		}
		/* In the middle between two: the lower one. */
		bin = ceil(place_of(d, u) * (double)(g.bins - 1) - 0.5);
		g.bin_of[i] = bin > 0 ? (size_t)bin : 0;
		if (g.bin_of[i] >= g.bins)
			g.bin_of[i] = g.bins - 1;
	}
	return g;
}

/* The number of samples in each bin, and of those that have any. */
struct counts {
	double *at; /* bins */
	double all;
	size_t used; /* bins with samples */
};

/* Scott's rule, with the interquartile range where it is the smaller measure. Cells are 1 wide. */
static double bandwidth(const struct counts *c, size_t bins)
{
	double mean = 0, squares = 0, sum = 0, first = -1, third = -1, last = 0;
	double width;

	for (size_t i = 0; i < bins; i++)
		mean += (double)i * c->at[i];
	mean /= c->all;
	for (size_t i = 0; i < bins; i++) {
		if (c->at[i] == 0)
			continue;
		squares += ((double)i - mean) * ((double)i - mean) * c->at[i];
		sum += c->at[i];
		last = (double)i;
		if (first < 0 && sum >= floor(c->all / 4))
			first = (double)i;
		if (third < 0 && sum > floor(c->all * 3 / 4))
			third = (double)i;
	}
	width = sqrt(squares / (c->all > 2 ? c->all - 1 : 1));
	if (third < 0)
		third = last;
	if ((third - first) / 1.34 < width)
		width = (third - first) / 1.34;
	width *= 1.059 * sweep_exp(-0.2 * sweep_log(c->all));
	return width > 0.5 / 1.64 ? width : 0.5 / 1.64;
}

/* Adds a kernel's probability of each bin. */
static void add_kernel(double *density, size_t bins, double centre, double width, double weight)
{
	double low = sweep_normal_cdf((-0.5 - centre) / width);
	double mass = sweep_normal_cdf(((double)bins - 0.5 - centre) / width) - low;

	for (size_t i = 0; i < bins; i++) {
		double from = ((double)i - 0.5 - centre) / width;
		double to = ((double)i + 0.5 - centre) / width;
		double here = from > 0 ? sweep_normal_cdf(-from) - sweep_normal_cdf(-to)
				       : sweep_normal_cdf(to) - sweep_normal_cdf(from);

		density[i] += weight * here / mass;
	}
}

static void add_choices(double *density, const struct counts *c, size_t bins)
{
	double kernels = (double)c->used + 1;
	double own = (1 + 1 / kernels) / (1 + (double)bins / kernels);
	double other = 1 / kernels / (1 + (double)bins / kernels);

	for (size_t i = 0; i < bins; i++) {
		density[i] += c->at[i] * own + (c->all - c->at[i]) * other;
		density[i] += 1 / (double)bins; /* the wide kernel */
	}
}

/* Probabilities of the bins. */
static double *density_of(struct arena *a, const struct grid *g, const struct counts *c)
{
	double *density = arena_new_array(a, double, g->bins);

	if (g->is_ordered) {
		double width = bandwidth(c, g->bins);

		for (size_t i = 0; i < g->bins; i++) {
			if (c->at[i] > 0)
				add_kernel(density, g->bins, (double)i, width, c->at[i]);
		}
		add_kernel(density, g->bins, 0.5 * (double)(g->bins - 1), (double)g->bins, 1);
	} else {
		add_choices(density, c, g->bins);
	}
	for (size_t i = 0; i < g->bins; i++)
		density[i] = density[i] / (c->all + 1) + 1e-12;
	return density;
}

/* ---- importance ---- */

/* Samples that are among the best tenth; equal values of its worst one, too. */
static bool *best_tenth(struct arena *a, const struct sweep_samples *s, size_t *ret_count)
{
	bool *is_best = arena_new_array(a, bool, s->count);
	double cutoff = rank(a, s->y, s->count)[(s->count + 9) / 10 - 1].value;

	*ret_count = 0;
	for (size_t i = 0; i < s->count; i++) {
		is_best[i] = s->y[i] <= cutoff;
		*ret_count += is_best[i];
	}
	return is_best;
}

static struct counts count_bins(struct arena *a, const struct sweep_samples *s, size_t column,
				const struct grid *g, const bool *is_counted)
{
	struct counts c = { .at = arena_new_array(a, double, g->bins) };

	for (size_t i = 0; i < s->count; i++) {
		if (isnan(s->x[i * s->dimensions + column]) || (is_counted && !is_counted[i]))
			continue;
		c.used += c.at[g->bin_of[i]] == 0;
		c.at[g->bin_of[i]]++;
		c.all++;
	}
	return c;
}

/* Pearson's divergence of the best samples' density from that of all. */
static double divergence(struct arena *a, const struct grid *g, const struct counts *best,
			 const struct counts *all)
{
	const double *top = density_of(a, g, best), *local = density_of(a, g, all);
	double sum = 0;

	for (size_t i = 0; i < g->bins; i++)
		sum += local[i] * (top[i] / local[i] - 1) * (top[i] / local[i] - 1);
	return sum;
}

static double importance_of(struct arena *a, const struct sweep_samples *s, size_t column,
			    const bool *is_best, size_t best_count)
{
	struct grid g = grid_of(a, s, column);
	struct counts best, all;
	double best_share, share;

	if (g.bins < 2)
		return 0;
	best = count_bins(a, s, column, &g, is_best);
	all = count_bins(a, s, column, &g, NULL);
	if (all.all < REGIME_LEAST || best.all == 0)
		return 0;
	/* If some points lack the parameter, its share among the best ones counts, too. */
	best_share = best.all / (double)best_count;
	share = all.all / (double)s->count;
	return best_share * best_share / share * divergence(a, &g, &best, &all);
}

void sweep_importance(struct arena *a, const struct sweep_samples *s, double *ret_importance)
{
	double sum = 0;
	size_t best_count;
	bool *is_best;

	for (size_t i = 0; i < s->dimensions; i++)
		ret_importance[i] = 1 / (double)s->dimensions;
	if (s->count < 2)
		return;
	is_best = best_tenth(a, s, &best_count);
	for (size_t i = 0; i < s->dimensions; i++) {
		ret_importance[i] = importance_of(a, s, i, is_best, best_count);
		sum += ret_importance[i];
	}
	for (size_t i = 0; i < s->dimensions; i++)
		ret_importance[i] = sum > 0 ? ret_importance[i] / sum : 1 / (double)s->dimensions;
}
