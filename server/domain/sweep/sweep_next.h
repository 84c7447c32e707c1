#ifndef SWEEP_NEXT_H
#define SWEEP_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"
#include "sweep_config.h"
#include "sweep_space.h"

/*
 * The next trial of a sweep, from all its trials: the one entry to the searches. Pure: equal arguments give equal answers on any
 * machine.
 */
enum sweep_trial_state {
	SWEEP_TRIAL_HANDED_OUT =
		1, /* its process has not come yet, or it is a prior run that has not been read */
	SWEEP_TRIAL_RUNNING = 2,
	SWEEP_TRIAL_FINISHED = 3,
	SWEEP_TRIAL_FAILED = 4,
	SWEEP_TRIAL_CRASHED = 5,
	SWEEP_TRIAL_KILLED = 6, /* by a user or by early_terminate */
	SWEEP_TRIAL_LOST = 7,   /* its process never came, or its agent is gone */
	SWEEP_TRIAL_DELETED = 8,
	SWEEP_TRIAL_PREEMPTED = 9, /* waits for another agent */
};
enum sweep_trial_source {
	SWEEP_SOURCE_SEARCH = 1,
	SWEEP_SOURCE_HAND = 2,
	SWEEP_SOURCE_CONTROLLER = 3,
	SWEEP_SOURCE_JOINED = 4, /* a run that names the sweep and came without an agent */
	SWEEP_SOURCE_PRIOR = 5,
};

struct sweep_trial_fact {
	int64_t trial;                    /* number, from 1 */
	const struct sweep_value *params; /* object as delivered; NULL: none known */
	int64_t point; /* as sweep_suggestion.point said; SWEEP_POINT_NONE: found from params. Forget it when the config changes. */
	enum sweep_trial_state state;
	enum sweep_trial_source source;
	struct str host;  /* empty: not known */
	int64_t retry_of; /* trial whose point this one has again; 0: none */
	int tries; /* 1: the first one; a trial that is given again has one more than that of retry_of */
	/* The metric, as logged (not negated), finite; NaN: none. */
	double min, max, latest; /* of its history */
	double summary;
};

struct sweep_asked {
	int64_t seed;    /* of the sweep */
	int64_t trial;   /* the number that the next trial gets */
	struct str host; /* that asks; empty: not known */
	bool is_only_host; /* no agent of another host is alive: retry_other_host does not hold anything back */
};

enum sweep_next_kind {
	SWEEP_NEXT_TRIAL, /* hand it out */
	SWEEP_NEXT_WAIT, /* nothing now: the points that are left are held by open trials, or are for other hosts; ask again */
	SWEEP_NEXT_ENDED, /* nothing any more, unless config or trials change */
};
struct sweep_suggestion {
	enum sweep_next_kind kind;
	const char *
		why; /* SWEEP_NEXT_WAIT and SWEEP_NEXT_ENDED: "all points of the grid were tried" */
	struct str params; /* JSON, as sweep_space_params() */
	int64_t point;     /* SWEEP_POINT_NONE: the space has none */
	int64_t retry_of;  /* 0: a new point */
	int tries;         /* for the new trial */
	struct str note;   /* for its page, such as "random: fewer than 2 results"; empty: none */
};

/*
 * First points that failed are given again, then new ones. `trials` in order of their numbers. ERR_INTERNAL: never expected; a config
 * that sweep_config_read() accepts always has an answer. Trials of prior runs are learned from, and do not count in run_cap.
 */
err_t sweep_next(struct arena *a, const struct sweep_config *c,
		 const struct sweep_trial_fact *trials, size_t count,
		 const struct sweep_asked *asked, struct sweep_suggestion *ret)
	__attribute__((nonnull(1, 2, 5, 6), warn_unused_result));

/*
 * Why the sweep ends whatever is left to try: "target" or "run_cap"; NULL: it does not. run_cap counts trials that were not lost,
 * deleted, prior, or killed and given again; it ends the sweep when none of them can be given to an agent again.
 */
const char *sweep_end_reason(struct arena *a, const struct sweep_config *c,
			     const struct sweep_trial_fact *trials, size_t count)
	__attribute__((nonnull(1, 2)));

/* Numbers of the trials whose points were given again, ascending, and whether a trial is among them. */
const int64_t *sweep_retried(struct arena *a, const struct sweep_trial_fact *trials, size_t count,
			     size_t *ret_count) __attribute__((nonnull(1, 4), returns_nonnull));
bool sweep_is_retried(const int64_t *retried, size_t count, int64_t trial) __attribute__((nonnull));

#endif
