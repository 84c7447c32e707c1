#ifndef SWEEP_SAMPLE_H
#define SWEEP_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct sweep_dimension;
struct sweep_space;
struct sweep_trial_fact;

/*
 * The input of a search: points in [0, 1]^d, by the distribution functions of the parameters, with a value to minimise.
 * sweep_dimension.h says what a coordinate means.
 */
struct sweep_samples {
	size_t dimensions;
	const struct sweep_dimension *dimension;
	size_t count;
	const double
		*x; /* count rows of `dimensions`; NaN: the trial does not have the parameter */
	const double *y; /* to minimise, finite */
	size_t pending;  /* trials without a result yet */
	const double *pending_x;
	size_t skipped; /* trials with a value that the config does not know: not used */
};

/*
 * Samples of trials. The goal's sign is applied: y is negated for maximize. By the state of a trial: finished: its best finite
 * value over history and summary, imputed if there is none; failed, crashed, killed, lost with values: imputed; running: pending, unless
 * metric.impute_while_running; handed out and preempted: pending; lost without a run and deleted: not used, nor a trial whose point was given again.
 *
 * Imputed values, by metric.impute: worst: the worst value of all trials that ended, 0 if there is none; best: the trial's own
 * best, else 0; latest: its last logged value, else 0. A parameter that the trial should have and does not is at 0 or at the first
 * value of the list.
 */
void sweep_samples_make(struct arena *a, const struct sweep_space *s,
			const struct sweep_trial_fact *trials, size_t count,
			struct sweep_samples *ret_samples) __attribute__((nonnull(1, 2, 5)));

#endif
