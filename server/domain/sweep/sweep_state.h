#ifndef SWEEP_STATE_H
#define SWEEP_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

/*
 *	            first heartbeat          exhausted, target, run_cap, stop
 *	PENDING ───────────────────► RUNNING ─────────────────────────────────► FINISHED
 *	                               ▲  │ pause                                  │
 *	                        resume │  ▼                     resume: RUNNING    │
 *	                              PAUSED                                       │
 *	cancel: from each of them to CANCELED; resume goes back to RUNNING  ◄──────┘
 *
 * A change to the state that the sweep has already is accepted and does nothing, because clients repeat requests. A deletion is not a
 * state: it is possible in each.
 */
enum sweep_state {
	SWEEP_STATE_PENDING = 1, /* no agent has come */
	SWEEP_STATE_RUNNING = 2,
	SWEEP_STATE_PAUSED = 3,   /* nothing is handed out; trials go on */
	SWEEP_STATE_FINISHED = 4, /* nothing is handed out; agents leave when their trials end */
	SWEEP_STATE_CANCELED = 5, /* agents kill their trials and leave */
};
enum sweep_event {
	SWEEP_EVENT_BEAT = 1, /* heartbeat of an agent */
	SWEEP_EVENT_PAUSE,
	SWEEP_EVENT_RESUME,
	SWEEP_EVENT_STOP,
	SWEEP_EVENT_CANCEL,
	SWEEP_EVENT_ENDED, /* no point is left, target, run_cap, or the controller said so */
};

/* ERR_CONFLICT: a pending sweep cannot be paused, a finished one neither, a canceled one neither paused nor stopped. */
err_t sweep_state_change(struct arena *a, enum sweep_state state, enum sweep_event event,
			 enum sweep_state *ret_state) __attribute__((nonnull, warn_unused_result));

/* "RUNNING", as in the SDK's GraphQL; "running" in REST. */
const char *sweep_state_name(enum sweep_state state) __attribute__((returns_nonnull));
/* The event that a client asks for by naming a state, in either case; ERR_INVALID: not one of them, or PENDING. */
err_t sweep_event_read(struct arena *a, struct str state, enum sweep_event *ret_event)
	__attribute__((nonnull, warn_unused_result));

/* The answer to a heartbeat, in the order of precedence. */
enum sweep_answer {
	SWEEP_ANSWER_NOT_FOUND, /* sweep or agent does not exist: 404 */
	SWEEP_ANSWER_EXIT,      /* the agent kills all its processes at once and leaves */
	SWEEP_ANSWER_STOP,      /* stop those trials; repeated until they are gone */
	SWEEP_ANSWER_NOTHING,
	SWEEP_ANSWER_AGAIN, /* the trial that the agent was given and did not start: its answer was lost */
	SWEEP_ANSWER_RESUME, /* a trial that was preempted */
	SWEEP_ANSWER_SUGGEST /* a new one: ask sweep_next() */
};
struct sweep_beat {
	bool is_known;          /* sweep and agent exist */
	enum sweep_state state; /* after SWEEP_EVENT_BEAT */
	size_t run_count;       /* trials that the agent says it runs */
	size_t stop_count;      /* those of them that are to stop */
	size_t capacity;        /* trials the agent runs at once; 1 for the SDK */
	bool is_set_aside;      /* its host */
	bool has_unstarted;     /* handed to it, not seen since, and not yet sent twice */
	bool has_preempted;     /* a trial of the sweep waits to be resumed */
};
enum sweep_answer sweep_beat_answer(const struct sweep_beat *b) __attribute__((nonnull));

#endif
