#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include "sweep_make.h"
#include "sweep_observe.h"
#include "sweep_space.h"

/* Work under the lock of a sweep, in a transaction of its own, for callers that are in none. */
struct sweep_work {
	struct request *q;
	struct sweep *sweep;             /* locked, as it is now */
	const struct sweep_agent *agent; /* of the target; NULL: none */
	const struct sweep_config *config;
	const struct sweep_space *space; /* of sweep_work_space(); NULL: not made */
	struct sweep_observe_ask ask;
};
/*
 * A request that waits for the lock, or searches, holds a worker. So some may, and half of these at the same sweep. Searches do not
 * take the places of changes.
 */
enum sweep_work_kind {
	SWEEP_WORK_BEAT,   /* a search that waits for a second, for it is repeated soon */
	SWEEP_WORK_SEARCH, /* waits for 5 seconds */
	SWEEP_WORK_CHANGE, /* the same, and has a place from 0.2 seconds on */
	SWEEP_WORK_BRIEF,  /* waits for 0.2 seconds, and needs no place */
};
/*
 * ERR_BUSY: there is no place, or the lock was not free in time. After an error it is rolled back. It is called again if a number or
 * name that it made is taken. target->sweep is the sweep as the work left it. ERR_NOT_FOUND: the sweep was deleted.
 */
typedef err_t sweep_work_fn(struct sweep_work *w, void *arg);
err_t sweep_work(struct request *q, struct sweep_target *target, enum sweep_work_kind kind,
		 sweep_work_fn *work, void *arg) __attribute__((warn_unused_result));

/* Changes the state; `why`: of an end. ERR_CONFLICT if the state does not allow it. */
err_t sweep_work_event(struct sweep_work *w, enum sweep_event event, const char *why)
	__attribute__((warn_unused_result));

/* After any work the sweep job looks at the sweep within this time. */
#define SWEEP_LOOK_US (INT64_C(10) * 1000000)

/* A new trial of a point, which no agent has yet. Set what is known of it, then insert it. */
struct sweep_trial sweep_work_trial(struct sweep_work *w, enum sweep_trial_source source,
				    struct str params);
err_t sweep_work_insert(struct sweep_work *w, struct sweep_trial *trial)
	__attribute__((warn_unused_result));
/* The space of the config, which can be large: it is made once. */
const struct sweep_space *sweep_work_space(struct sweep_work *w);
/* The number of the point that the parameters are, and whether they can be read: ERR_INVALID, field "params". */
err_t sweep_work_find_point(struct sweep_work *w, struct sweep_trial *trial)
	__attribute__((warn_unused_result));

/* Refuses a config whose trials may have parameters of more than SWEEP_PARAMS_MAX bytes, or somewhat less. */
err_t sweep_check_params(struct arena *a, const struct sweep_config *config)
	__attribute__((warn_unused_result));

/* {"lr": 0.1} as {"lr": {"value": 0.1}} */
struct str sweep_args_of(struct arena *a, struct str params);

#endif
