#include "sweep_hyperband.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

static void add_band(struct sweep_bands *bands, double at)
{
	int64_t whole = (int64_t)at;

	if (!bands->count || bands->at[bands->count - 1] != whole)
		bands->at[bands->count++] = whole;
}

static void bands_from_min(const struct sweep_hyperband *h, struct sweep_bands *bands)
{
	double band = (double)h->min_iter;

	for (int i = 0; i < SWEEP_BANDS_MAX && band <= (double)SWEEP_INT_MAX; i++) {
		add_band(bands, band);
		band *= h->eta;
	}
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x;
	const double b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static void bands_from_max(const struct sweep_hyperband *h, struct sweep_bands *bands)
{
	double found[SWEEP_BANDS_MAX];
	double band = (double)h->max_iter;
	size_t count = 0;

	for (int64_t i = 0; i < h->s && count < SWEEP_BANDS_MAX; i++) {
		band /= h->eta;
		if (band < 1)
			break;
		found[count++] = band;
	}
	while (count-- > 0)
		add_band(bands, found[count]);
}

void sweep_hyperband_bands(const struct sweep_hyperband *h, struct sweep_bands *ret_bands)
{
	*ret_bands = (struct sweep_bands){ 0 };
	if (h->min_iter)
		bands_from_min(h, ret_bands);
	else
		bands_from_max(h, ret_bands);
}

void sweep_progress_of(const struct sweep_bands *bands, enum sweep_goal goal, const double *values,
		       size_t count, struct sweep_progress *ret_progress)
{
	size_t band = 0;

	*ret_progress = (struct sweep_progress){ .best = INFINITY };
	for (size_t i = 0; i < count; i++) {
		double cost = sweep_cost(goal, values[i]);

		if (!isfinite(cost))
			continue;
		ret_progress->count++;
		ret_progress->best = fmin(ret_progress->best, cost);
		if (band < bands->count && bands->at[band] == ret_progress->count)
			ret_progress->at_band[band++] = cost;
	}
}

static double threshold_of(const struct sweep_hyperband *h, const struct sweep_bands *bands,
			   size_t band, const struct sweep_progress *trials, size_t count,
			   double *room)
{
	size_t reached = 0;
	size_t place;

	for (size_t i = 0; i < count; i++)
		if (trials[i].count >= bands->at[band])
			room[reached++] = trials[i].at_band[band];
	if (!reached)
		return INFINITY;
	qsort(room, reached, sizeof(*room), by_value);
	place = (size_t)(1 / h->eta * (double)reached);
	return room[place < reached ? place : reached - 1];
}

static bool is_to_stop(const struct sweep_hyperband *h, const struct sweep_bands *bands,
		       const struct sweep_progress *trial, const double *thresholds)
{
	size_t reached = 0;
	double value;

	while (reached < bands->count && bands->at[reached] <= trial->count)
		reached++;
	if (!trial->is_running || !reached)
		return false;
	value = h->is_strict ? trial->at_band[reached - 1] : trial->best;
	return value > thresholds[reached - 1];
}

void sweep_hyperband_judge(struct arena *a, const struct sweep_hyperband *h,
			   const struct sweep_bands *bands, const struct sweep_progress *trials,
			   size_t count, bool *ret_stops, double *ret_thresholds)
{
	double thresholds[SWEEP_BANDS_MAX];
	double *room = arena_new_array(a, double, count + 1);

	for (size_t i = 0; i < bands->count; i++)
		thresholds[i] = threshold_of(h, bands, i, trials, count, room);
	for (size_t i = 0; i < count; i++)
		ret_stops[i] = is_to_stop(h, bands, &trials[i], thresholds);
	if (ret_thresholds)
		memcpy(ret_thresholds, thresholds, bands->count * sizeof(*thresholds));
}
