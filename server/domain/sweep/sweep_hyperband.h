#ifndef SWEEP_HYPERBAND_H
#define SWEEP_HYPERBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep_config.h"

/*
 * Early termination by bands (Li et al., Hyperband, 2018, as wandb's controller has it). A band is a number of logged values. A
 * running trial is judged at the highest band it has reached: it is to stop if its value there, or with strict: false its best so far, is
 * above the threshold of the band. The threshold is an element of the sorted values of all trials, whatever their state, that
 * reached the band: number floor(n / eta), from 0.
 *
 * History of a trial: values of the metric in the order logged that are finite numbers, negated for maximize (sweep_cost()); the
 * summary is not used.
 */
enum { SWEEP_BANDS_MAX = 100 };
struct sweep_bands {
	size_t count;
	int64_t at[SWEEP_BANDS_MAX]; /* ascending, each once, at least 1 */
};
void sweep_hyperband_bands(const struct sweep_hyperband *h, struct sweep_bands *ret_bands)
	__attribute__((nonnull));

struct sweep_progress {
	bool is_running;
	int64_t count; /* of values in the history */
	double best;   /* the least of them */
	/* For each band that the trial reached: value number at[i], from 1. */
	double at_band[SWEEP_BANDS_MAX];
};
/* From a whole history; values that are not finite are skipped. */
void sweep_progress_of(const struct sweep_bands *bands, enum sweep_goal goal, const double *values,
		       size_t count, struct sweep_progress *ret_progress)
	__attribute__((nonnull(1, 5)));

/*
 * Sets whether each trial is to stop. ret_thresholds has one for each band, infinity where nobody reached it; NULL: not wanted.
 */
void sweep_hyperband_judge(struct arena *a, const struct sweep_hyperband *h,
			   const struct sweep_bands *bands, const struct sweep_progress *trials,
			   size_t count, bool *ret_stops, double *ret_thresholds)
	__attribute__((nonnull(1, 2, 3)));

#endif
