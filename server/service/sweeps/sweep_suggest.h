#ifndef SWEEP_SUGGEST_H
#define SWEEP_SUGGEST_H

#include "sweep_agent.h"

/*
 * Trials that are handed out. Each is decided under the lock of the sweep, after its open trials were compared with their runs
 * (sweep_observe.h). Outside a transaction.
 */

/* The search waits so long for the prior runs of a new sweep; what has not been read then it learns later. */
#define SWEEP_PRIOR_WAIT_US (INT64_C(300) * 1000000)

/* Asks for trials of target->agent, up to a number: waiting and preempted ones first, then new ones. For heartbeats. */
struct sweep_handed {
	struct sweep_command *at;
	size_t count;
	bool was_asked; /* false: others have the lock, too many wait for one, or prior runs are being read */
	enum sweep_state state; /* of the sweep afterwards: the search may have ended it */
};
err_t sweep_suggest(struct request *q, const struct sweep_target *target,
		    const struct sweep_beat_asked *beat, struct sweep_handed *ret_handed)
	__attribute__((warn_unused_result));

/* By hand: without a heartbeat. */
struct sweep_hand_asked {
	struct str host;   /* empty: the agent's, or not known */
	struct str params; /* values of the caller's, a JSON object; .at == NULL: of the search */
};
/* target->agent may be NULL. ERR_CONFLICT: there is none, with the reason. ERR_BUSY: prior runs are being read. */
err_t sweep_suggest_by_hand(struct request *q, struct sweep_target *target,
			    const struct sweep_hand_asked *asked, struct sweep_trial **ret_trial)
	__attribute__((warn_unused_result));

/* Reports a trial that has no run. */
struct sweep_report {
	int16_t state; /* enum sweep_trial_state: _RUNNING, _FINISHED, _FAILED or _KILLED; 0: as it is */
	bool has_value;
	double value; /* of the metric; finite */
};
/* The same report of an ended trial changes nothing. ERR_CONFLICT: it has ended otherwise, or a run of the trial decides. */
err_t sweep_report(struct request *q, struct sweep_target *target, int64_t number,
		   const struct sweep_report *report, struct sweep_trial **ret_trial)
	__attribute__((warn_unused_result));
/* Gives the point of an ended trial again: a new trial, which the next agent gets. */
err_t sweep_retry(struct request *q, struct sweep_target *target, int64_t number,
		  struct sweep_trial **ret_trial) __attribute__((warn_unused_result));

#endif
