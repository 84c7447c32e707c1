#ifndef SWEEP_OBSERVE_H
#define SWEEP_OBSERVE_H

#include "run_documents.h"
#include "sweep_store.h"

/*
 * Compares trials with their runs: which began, ended, were deleted or are back. Values of the metric are read once when a trial
 * ends. Under the lock of the sweep, in a transaction: before each suggestion for the trials that are not over, and by the sweep job
 * for all, with what nobody asks for: agents that are silent, runs that joined by name, early termination, target, run_cap.
 */
enum sweep_observe_depth {
	SWEEP_OBSERVE_OPEN, /* trials that are not over, some hundred of them, those of the agent first */
	SWEEP_OBSERVE_ALL,
};
struct sweep_observe_ask {
	struct run_reader reader;
	const struct sweep_config *config;
	enum sweep_observe_depth depth;
	timestamp_us now;
	int64_t lost_us;  /* silence after which an agent is lost */
	int64_t agent_id; /* that asks; 0: none */
	/* A portion of SWEEP_OBSERVE_ALL, the last of which has what concerns the whole sweep: */
	int64_t after; /* the trial before it */
	int64_t until; /* its last trial; 0: all */
};
/* A run that is to stop, and was not asked yet. */
struct sweep_to_stop {
	int64_t run_id;
	const char *reason;
};
struct sweep_observed {
	size_t open; /* trials that are not over, of those that were compared */
	size_t changed;
	bool has_joined;            /* runs became trials */
	struct sweep_to_stop *stop; /* SWEEP_OBSERVE_ALL: to be asked when the lock is given up */
	size_t stop_count;
};
err_t sweep_observe(const struct sweep_observe_ask *ask, struct sweep *sweep,
		    struct sweep_observed *ret_observed) __attribute__((warn_unused_result));

/*
 * Reads some of the prior runs that have not been read, SWEEP_PRIOR_AT_ONCE at most: parameters, state and values. *ret_more: others
 * may be left. The same lock.
 */
err_t sweep_observe_prior(const struct sweep_observe_ask *ask, struct sweep *sweep, bool *ret_more)
	__attribute__((warn_unused_result));

/* Compares all trials that are not over, in portions; ask->depth and agent_id do not count. The same lock. */
err_t sweep_observe_all_open(const struct sweep_observe_ask *ask, struct sweep *sweep)
	__attribute__((warn_unused_result));

/* The metric changed: reads the values of all trials that have runs. The same lock. */
err_t sweep_observe_again(const struct sweep_observe_ask *ask, struct sweep *sweep)
	__attribute__((warn_unused_result));

/* The trial's run never came: it is lost, or waits again if it was preempted. The same lock. */
err_t sweep_observe_lost(const struct sweep_observe_ask *ask, struct sweep *sweep,
			 struct sweep_trial *trial) __attribute__((warn_unused_result));

/* A trial ended without a run, as reported; trial->state is how. The same lock. */
err_t sweep_observe_report(const struct sweep_observe_ask *ask, struct sweep *sweep,
			   struct sweep_trial *trial) __attribute__((warn_unused_result));

/* "crashed" of a run is SWEEP_TRIAL_CRASHED, ...; the trial's state if the run tells nothing new. For tests. */
enum sweep_trial_state sweep_observed_state(const struct sweep_trial *trial, const struct run *run,
					    timestamp_us now);

/* A trial by hand without an agent and without a run is lost after this time. */
#define SWEEP_HAND_KEPT_US (INT64_C(86400) * 1000000)
/* A run that ended so long ago is not looked at again, unless it is deleted. */
#define SWEEP_LATE_US (INT64_C(3600) * 1000000)

#endif
