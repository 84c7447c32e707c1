#ifndef SWEEP_CURVE_H
#define SWEEP_CURVE_H

#include "run_documents.h"
#include "sweep_store.h"

/*
 * Early termination: the values of trials at the bands, and which of them are to stop. The values are kept with the trials, so
 * that a history is read only when its run has reached another band.
 */
struct sweep_curves {
	const struct run_reader *reader;
	const struct sweep *sweep;
	const struct sweep_config *config;
	timestamp_us now;
	bool judges; /* sweep_curves_judge() follows: else curves are only added */
	/* Set by sweep_curves_begin(). */
	struct sweep_bands *bands;
	struct sweep_trial *trials; /* all of the sweep; none unless it judges */
	size_t count;
};
err_t sweep_curves_begin(struct sweep_curves *c) __attribute__((warn_unused_result));
/* A trial with its steps as they are now: its curve is read if there is more of it; *ret_changed becomes true then. */
err_t sweep_curves_add(struct sweep_curves *c, struct sweep_trial *trial, bool *ret_changed)
	__attribute__((warn_unused_result));
/* Notes which trials are to stop. Under the lock of the sweep. */
err_t sweep_curves_judge(struct sweep_curves *c) __attribute__((warn_unused_result));
/* Sets stop_at of the trial if it was just found that it is to stop. */
void sweep_curves_set_stop(const struct sweep_curves *c, struct sweep_trial *trial);

#endif
