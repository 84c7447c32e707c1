#include "sweep_dimension.h"

#include <math.h>

#include "sweep_math.h"

/* ---- values and coordinates ---- */

static double value_at(const struct sweep_dimension *d, double u)
{
	switch (d->scale) {
	case SWEEP_SCALE_LOG:
		return sweep_exp(d->low + u * (d->high - d->low));
	case SWEEP_SCALE_NORMAL:
		return d->low + d->high * sweep_normal_inverse(u);
	case SWEEP_SCALE_LOG_NORMAL:
		return sweep_exp(d->low + d->high * sweep_normal_inverse(u));
	case SWEEP_SCALE_LINEAR:
		break;
	}
	return d->low + u * (d->high - d->low);
}

static double within(double u)
{
	if (u < 0)
		return 0;
	return u > 1 ? 1 : u;
}

static double coordinate_of(const struct sweep_dimension *d, double value)
{
	bool is_log = d->scale == SWEEP_SCALE_LOG || d->scale == SWEEP_SCALE_LOG_NORMAL;

	if (is_log && value <= 0)
		return 0;
	if (is_log)
		value = sweep_log(value);
	if (d->scale == SWEEP_SCALE_NORMAL || d->scale == SWEEP_SCALE_LOG_NORMAL)
		return sweep_normal_cdf((value - d->low) / d->high);
	return within((value - d->low) / (d->high - d->low));
}

bool sweep_dimension_is_finite(const struct sweep_dimension *d)
{
	return d->kind != SWEEP_DIMENSION_REAL ||
	       (d->step > 0 && (d->scale == SWEEP_SCALE_LINEAR || d->scale == SWEEP_SCALE_LOG));
}

/* ---- intervals ---- */

static int64_t index_by_weight(const struct sweep_dimension *d, double u)
{
	double sum = 0;

	for (int64_t i = 0; i < d->count; i++) {
		sum += d->weights[i];
		if (u < sum)
			return i;
	}
	return d->count - 1;
}

int64_t sweep_dimension_index(const struct sweep_dimension *d, double u)
{
	double place = floor(u * (double)d->count);

	if (d->weights)
		return index_by_weight(d, u);
	if (!(place > 0))
		return 0;
	return place < (double)d->count ? (int64_t)place : d->count - 1;
}

/* The interval of the choice or integer number `index`. */
static struct sweep_span interval_at(const struct sweep_dimension *d, int64_t index)
{
	double sum = 0;

	if (!d->weights)
		return (struct sweep_span){ (double)index / (double)d->count,
					    (double)(index + 1) / (double)d->count };
	for (int64_t i = 0; i < index; i++)
		sum += d->weights[i];
	return (struct sweep_span){ sum, sum + d->weights[index] };
}

double sweep_dimension_end(const struct sweep_dimension *d, int64_t index)
{
	return interval_at(d, index).high;
}

static double quantised(const struct sweep_dimension *d, double u)
{
	return rint(value_at(d, u) / d->step) * d->step;
}

struct sweep_span sweep_dimension_interval(const struct sweep_dimension *d, double u)
{
	double value;

	if (d->kind != SWEEP_DIMENSION_REAL)
		return interval_at(d, sweep_dimension_index(d, u));
	if (d->step <= 0)
		return (struct sweep_span){ u, u };
	value = quantised(d, u);
	return (struct sweep_span){ coordinate_of(d, value - d->step / 2),
				    coordinate_of(d, value + d->step / 2) };
}

double sweep_dimension_snap(const struct sweep_dimension *d, double u)
{
	struct sweep_span interval;

	if (d->kind == SWEEP_DIMENSION_REAL)
		return d->step > 0 ? coordinate_of(d, quantised(d, u)) : u;
	interval = sweep_dimension_interval(d, u);
	return 0.5 * (interval.low + interval.high);
}

double sweep_dimension_inside(const struct sweep_dimension *d, double x)
{
	double sum = 0;

	if (isnan(x))
		return x;
	if (d->kind == SWEEP_DIMENSION_REAL)
		return sweep_dimension_snap(d, x);
	if (!d->weights) /* the upper end of an interval: half an interval down is its middle */
		return sweep_dimension_snap(d, x - 0.5 / (double)d->count);
	for (int64_t i = 0; i < d->count; i++) {
		sum += d->weights[i];
		if (d->weights[i] > 0 && sum > x - 1e-12)
			return sum - 0.5 * d->weights[i];
	}
	return sum - 0.5 * d->weights[d->count - 1];
}

static bool holds(const struct sweep_activation *condition, const double *u)
{
	double other = u[condition->dimension];

	for (size_t i = 0; i < condition->count; i++) {
		if (other >= condition->spans[i].low && other <= condition->spans[i].high)
			return true;
	}
	return false;
}

static bool all_hold(const struct sweep_dimension *d, const double *u)
{
	for (size_t i = 0; i < d->condition_count; i++) {
		if (!holds(&d->conditions[i], u))
			return false;
	}
	return true;
}

void sweep_dimensions_snap(const struct sweep_dimension *d, size_t count, double *u)
{
	bool has_changed = true;

	for (size_t i = 0; i < count; i++)
		u[i] = sweep_dimension_snap(&d[i], u[i]);
	/* NaN is in no span: what depends on a parameter that is not there goes in a later round. */
	while (has_changed) {
		has_changed = false;
		for (size_t i = 0; i < count; i++) {
			if (!isnan(u[i]) && !all_hold(&d[i], u)) {
				u[i] = NAN;
				has_changed = true;
			}
		}
	}
}
