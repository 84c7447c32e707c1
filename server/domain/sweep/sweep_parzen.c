#include "sweep_parzen.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_math.h"

#define HALF_LOG_2_PI 0.91893853320467274

enum { FULL_WEIGHT = 25 }; /* points that weigh most: the latest ones */

/* A normal number is farther from its mean, in standard deviations, with a probability below 1e-19. */
static const double far_away = 9;
/* In an interval so narrow, in standard deviations, the density is the same everywhere: the error is below 1e-8. */
static const double narrow = 1e-4;

/* The kernels in one dimension. */
struct axis {
	const struct sweep_dimension *dimension;
	double *centres; /* of kernels; of choices their numbers */
	double *widths;
	double *masses;   /* what the bounds leave of a kernel */
	double *scales;   /* the logarithm of a kernel's density at its centre, negated */
	size_t *alike;    /* for each kernel the first one with its centre and width */
	double shares[2]; /* of choices: of the kernel's own one, of any other */
};

struct sweep_parzen {
	struct sweep_parzen_points points;
	size_t kernels;  /* the wide one is the last */
	double *weights; /* sum to 1 */
	double *log_weights;
	struct axis *axes;           /* one for each column */
	double *scratch, *intervals; /* one for each kernel */
};

/* ---- the axis of a dimension ---- */

static bool is_normal(const struct sweep_dimension *d)
{
	return d->scale == SWEEP_SCALE_NORMAL || d->scale == SWEEP_SCALE_LOG_NORMAL;
}

static bool is_choice(const struct sweep_dimension *d)
{
	return d->kind == SWEEP_DIMENSION_CATEGORICAL;
}

static bool has_intervals(const struct sweep_dimension *d)
{
	return d->kind == SWEEP_DIMENSION_WHOLE || d->step > 0;
}

static double to_axis(const struct sweep_dimension *d, double u)
{
	return is_normal(d) ? sweep_normal_inverse(u) : u;
}

static double from_axis(const struct sweep_dimension *d, double at)
{
	const double least = 0x1p-53;
	double u = is_normal(d) ? sweep_normal_cdf(at) : at;

	if (u < least)
		return least;
	return u > 1 - least ? 1 - least : u;
}

/* Bounds, what counts as the length of the axis, and the wide kernel. */
struct extent {
	double low, high;
	double length;
	double middle, width;
};

static struct extent extent_of(const struct sweep_dimension *d)
{
	if (is_normal(d))
		return (struct extent){ -INFINITY, INFINITY, 4, 0, 1 };
	return (struct extent){ 0, 1, 1, 0.5, 1 };
}

/* The probability that a standard normal number is between. */
static double mass_between(double from, double to)
{
	if (from > 0)
		return sweep_normal_cdf(-from) - sweep_normal_cdf(-to);
	return sweep_normal_cdf(to) - sweep_normal_cdf(from);
}

/* ---- kernels ---- */

struct ranked {
	double at, width;
	size_t kernel;
};

static int by_place(const void *one, const void *other)
{
	const struct ranked *x = one, *y = other;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->width != y->width)
		return x->width < y->width ? -1 : 1;
	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static struct ranked *rank(struct arena *a, const struct axis *axis, size_t count)
{
	struct ranked *ranked = arena_new_array(a, struct ranked, count + 1);

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ axis->centres[i], axis->widths[i], i };
	qsort(ranked, count, sizeof *ranked, by_place);
	return ranked;
}

static void set_widths(struct arena *a, struct axis *axis, size_t count)
{
	struct extent e = extent_of(axis->dimension);
	double least = e.length / (count + 2 < 100 ? (double)(count + 2) : 100);
	const struct ranked *ranked = rank(a, axis, count);

	for (size_t i = 0; i < count; i++) {
		double below = ranked[i].at - (i ? ranked[i - 1].at : e.low);
		double above = (i + 1 < count ? ranked[i + 1].at : e.high) - ranked[i].at;
		double width = below > above ? below : above;

		if (count > 1 && i == 0)
			width = above;
		if (count > 1 && i + 1 == count)
			width = below;
		if (width < least)
			width = least;
		axis->widths[ranked[i].kernel] = width > e.length ? e.length : width;
	}
}

/* Finds for each kernel the first one that is like it: integers have few centres, and most kernels the least width. */
static void find_alike(struct arena *a, struct axis *axis, size_t count)
{
	const struct ranked *ranked = rank(a, axis, count);

	for (size_t i = 1; i < count; i++) {
		const struct ranked *r = &ranked[i];

		if (r[-1].at == r->at && r[-1].width == r->width)
			axis->alike[r->kernel] = axis->alike[r[-1].kernel];
	}
}

static void set_masses(struct arena *a, struct axis *axis, size_t count)
{
	struct extent e = extent_of(axis->dimension);

	axis->alike = arena_new_array(a, size_t, count);
	axis->masses = arena_new_array(a, double, count);
	axis->scales = arena_new_array(a, double, count);
	for (size_t i = 0; i < count; i++)
		axis->alike[i] = i;
	if (has_intervals(axis->dimension))
		find_alike(a, axis, count);
	for (size_t i = 0; i < count; i++) {
		double centre = axis->centres[i], width = axis->widths[i];
		size_t first = axis->alike[i];

		if (first < i) {
			axis->masses[i] = axis->masses[first];
			axis->scales[i] = axis->scales[first];
			continue;
		}
		axis->masses[i] = mass_between((e.low - centre) / width, (e.high - centre) / width);
		axis->scales[i] = HALF_LOG_2_PI + sweep_log(width * axis->masses[i]);
	}
}

static void set_numbers(struct arena *a, const struct sweep_parzen *p, size_t column,
			struct axis *axis)
{
	const struct sweep_parzen_points *points = &p->points;
	struct extent e = extent_of(axis->dimension);

	for (size_t i = 0; i < points->count; i++)
		axis->centres[i] = to_axis(
			axis->dimension, points->rows[points->chosen[i] * points->width + column]);
	axis->centres[points->count] = e.middle;
	set_widths(a, axis, points->count);
	axis->widths[points->count] = e.width;
	set_masses(a, axis, p->kernels);
}

static void set_choices(const struct sweep_parzen *p, size_t column, struct axis *axis)
{
	const struct sweep_parzen_points *points = &p->points;
	double kernels = (double)p->kernels;
	double all = 1 + (double)axis->dimension->count / kernels;

	for (size_t i = 0; i < points->count; i++)
		axis->centres[i] = (double)sweep_dimension_index(
			axis->dimension, points->rows[points->chosen[i] * points->width + column]);
	axis->centres[points->count] = -1; /* no choice is the wide kernel's own */
	axis->shares[0] = (1 + 1 / kernels) / all;
	axis->shares[1] = 1 / kernels / all;
}

static void set_axis(struct arena *a, struct sweep_parzen *p, size_t i)
{
	size_t column = p->points.columns[i];
	struct axis *axis = &p->axes[i];

	axis->dimension = &p->points.dimension[column];
	axis->centres = arena_new_array(a, double, p->kernels);
	if (is_choice(axis->dimension)) {
		set_choices(p, column, axis);
		return;
	}
	axis->widths = arena_new_array(a, double, p->kernels);
	set_numbers(a, p, column, axis);
}

/* The latest points and the wide kernel weigh 1, the older ones less: from 1/n on in equal steps. */
static void set_weights(struct sweep_parzen *p)
{
	size_t count = p->points.count;
	size_t older = count > FULL_WEIGHT ? count - FULL_WEIGHT : 0;
	double sum = 0;

	for (size_t i = 0; i < p->kernels; i++) {
		double first = 1 / (double)count;

		p->weights[i] = 1;
		if (i < older && older > 1)
			p->weights[i] = first + (double)i * ((1 - first) / (double)(older - 1));
		else if (i < older)
			p->weights[i] = first;
		sum += p->weights[i];
	}
	for (size_t i = 0; i < p->kernels; i++) {
		p->weights[i] /= sum;
		p->log_weights[i] = sweep_log(p->weights[i]);
	}
}

struct sweep_parzen *sweep_parzen_new(struct arena *a, const struct sweep_parzen_points *points)
{
	struct sweep_parzen *p = arena_new_of(a, struct sweep_parzen);

	p->points = *points;
	p->kernels = points->count + 1;
	p->weights = arena_new_array(a, double, p->kernels);
	p->log_weights = arena_new_array(a, double, p->kernels);
	p->scratch = arena_new_array(a, double, p->kernels);
	p->intervals = arena_new_array(a, double, p->kernels);
	p->axes = arena_new_array(a, struct axis, points->column_count + 1);
	set_weights(p);
	for (size_t i = 0; i < points->column_count; i++)
		set_axis(a, p, i);
	return p;
}

/* ---- drawing ---- */

static size_t draw_kernel(const struct sweep_parzen *p, struct sweep_draw *draw)
{
	double left = sweep_draw_unit(draw);

	for (size_t i = 0; i + 1 < p->kernels; i++) {
		left -= p->weights[i];
		if (left < 0)
			return i;
	}
	return p->kernels - 1;
}

/* The probability of a choice in a kernel. */
static double share_of(const struct axis *axis, size_t kernel, int64_t choice)
{
	if (axis->centres[kernel] < 0)
		return 1 / (double)axis->dimension->count;
	return axis->shares[(int64_t)axis->centres[kernel] == choice ? 0 : 1];
}

static double draw_choice(const struct axis *axis, size_t kernel, double drawn)
{
	const struct sweep_dimension *d = axis->dimension;
	int64_t choice = 0;

	while (choice + 1 < d->count && drawn >= share_of(axis, kernel, choice))
		drawn -= share_of(axis, kernel, choice++);
	return sweep_dimension_inside(d, sweep_dimension_end(d, choice));
}

static double draw_number(const struct axis *axis, size_t kernel, double drawn)
{
	struct extent e = extent_of(axis->dimension);
	double centre = axis->centres[kernel], width = axis->widths[kernel];
	double from = sweep_normal_cdf((e.low - centre) / width);
	double at = centre + width * sweep_normal_inverse(from + drawn * axis->masses[kernel]);

	if (at < e.low)
		at = e.low;
	if (at > e.high)
		at = e.high;
	return sweep_dimension_snap(axis->dimension, from_axis(axis->dimension, at));
}

void sweep_parzen_draw(const struct sweep_parzen *p, struct sweep_draw *draw, double *ret_row)
{
	size_t kernel = draw_kernel(p, draw);

	for (size_t i = 0; i < p->points.column_count; i++) {
		const struct axis *axis = &p->axes[i];
		double drawn = sweep_draw_unit(draw);

		ret_row[p->points.columns[i]] = is_choice(axis->dimension)
							? draw_choice(axis, kernel, drawn)
							: draw_number(axis, kernel, drawn);
	}
}

/* ---- the density ---- */

static void add_choice(const struct sweep_parzen *p, const struct axis *axis, double u)
{
	int64_t choice = sweep_dimension_index(axis->dimension, u);
	double own = sweep_log(axis->shares[0]), other = sweep_log(axis->shares[1]);

	for (size_t i = 0; i + 1 < p->kernels; i++)
		p->scratch[i] += (int64_t)axis->centres[i] == choice ? own : other;
	p->scratch[p->kernels - 1] -= sweep_log((double)axis->dimension->count);
}

/* The logarithm of a kernel's probability of an interval. */
static double interval_log(const struct axis *axis, size_t kernel, double low, double high)
{
	double from = (low - axis->centres[kernel]) / axis->widths[kernel];
	double to = (high - axis->centres[kernel]) / axis->widths[kernel];

	if (from > far_away || to < -far_away)
		return -INFINITY;
	if (to - from < narrow) {
		double middle = 0.5 * (from + to);

		return sweep_log(high - low) - 0.5 * middle * middle - axis->scales[kernel];
	}
	return sweep_log(mass_between(from, to) / axis->masses[kernel]);
}

static void add_interval(const struct sweep_parzen *p, const struct axis *axis, double u)
{
	struct sweep_span interval = sweep_dimension_interval(axis->dimension, u);
	double low = to_axis(axis->dimension, interval.low),
	       high = to_axis(axis->dimension, interval.high);

	/* The first of kernels that are alike comes before the others. */
	for (size_t i = 0; i < p->kernels; i++) {
		size_t first = axis->alike[i];

		p->intervals[i] = first < i ? p->intervals[first]
					    : interval_log(axis, i, low, high);
		p->scratch[i] += p->intervals[i];
	}
}

static void add_number(const struct sweep_parzen *p, const struct axis *axis, double u)
{
	double at = to_axis(axis->dimension, u);

	for (size_t i = 0; i < p->kernels; i++) {
		double z = (at - axis->centres[i]) / axis->widths[i];

		p->scratch[i] -= 0.5 * z * z + axis->scales[i];
	}
}

/* The logarithm of the sum of exponentials. */
static double log_sum(const double *logs, size_t count)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (logs[i] > most)
			most = logs[i];
	}
	if (most == -INFINITY)
		return most;
	for (size_t i = 0; i < count; i++)
		sum += sweep_exp(logs[i] - most);
	return most + sweep_log(sum);
}

double sweep_parzen_log(const struct sweep_parzen *p, const double *row)
{
	for (size_t i = 0; i < p->kernels; i++)
		p->scratch[i] = p->log_weights[i];
	for (size_t i = 0; i < p->points.column_count; i++) {
		const struct axis *axis = &p->axes[i];
		double u = row[p->points.columns[i]];

		if (is_choice(axis->dimension))
			add_choice(p, axis, u);
		else if (has_intervals(axis->dimension))
			add_interval(p, axis, u);
		else
			add_number(p, axis, u);
	}
	return log_sum(p->scratch, p->kernels);
}
