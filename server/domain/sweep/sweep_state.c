#include "sweep_state.h"

#include <string.h>
#include <strings.h>

static const char *const names[] = {
	[SWEEP_STATE_PENDING] = "PENDING",   [SWEEP_STATE_RUNNING] = "RUNNING",
	[SWEEP_STATE_PAUSED] = "PAUSED",     [SWEEP_STATE_FINISHED] = "FINISHED",
	[SWEEP_STATE_CANCELED] = "CANCELED",
};
/* For messages. */
static const char *const words[] = {
	[SWEEP_STATE_PENDING] = "pending",   [SWEEP_STATE_RUNNING] = "running",
	[SWEEP_STATE_PAUSED] = "paused",     [SWEEP_STATE_FINISHED] = "finished",
	[SWEEP_STATE_CANCELED] = "canceled",
};
static const char *const verbs[] = {
	[SWEEP_EVENT_BEAT] = "started",    [SWEEP_EVENT_PAUSE] = "paused",
	[SWEEP_EVENT_RESUME] = "resumed",  [SWEEP_EVENT_STOP] = "stopped",
	[SWEEP_EVENT_CANCEL] = "canceled", [SWEEP_EVENT_ENDED] = "finished",
};

#define P SWEEP_STATE_PENDING
#define R SWEEP_STATE_RUNNING
#define Z SWEEP_STATE_PAUSED
#define F SWEEP_STATE_FINISHED
#define C SWEEP_STATE_CANCELED
/* 0: refused. */
static const unsigned char changes[][SWEEP_EVENT_ENDED + 1] = {
	/*   -, beat, pause, resume, stop, cancel, ended */
	[P] = { 0, R, 0, R, F, C, F }, [R] = { 0, R, Z, R, F, C, F }, [Z] = { 0, Z, Z, R, F, C, F },
	[F] = { 0, F, 0, R, F, C, F }, [C] = { 0, C, 0, R, 0, C, C },
};
#undef P
#undef R
#undef Z
#undef F
#undef C

err_t sweep_state_change(struct arena *a, enum sweep_state state, enum sweep_event event,
			 enum sweep_state *ret_state)
{
	enum sweep_state next = changes[state][event];

	if (!next)
		return err_new(a, ERR_CONFLICT, "a %s sweep cannot be %s", words[state],
			       verbs[event]);
	*ret_state = next;
	return NULL;
}

const char *sweep_state_name(enum sweep_state state)
{
	return names[state];
}

err_t sweep_event_read(struct arena *a, struct str state, enum sweep_event *ret_event)
{
	static const struct {
		const char *name;
		enum sweep_event event;
	} events[] = { { "RUNNING", SWEEP_EVENT_RESUME },
		       { "PAUSED", SWEEP_EVENT_PAUSE },
		       { "FINISHED", SWEEP_EVENT_STOP },
		       { "CANCELED", SWEEP_EVENT_CANCEL } };

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strlen(events[i].name) != state.len ||
		    strncasecmp(events[i].name, state.at, state.len) != 0)
			continue;
		*ret_event = events[i].event;
		return NULL;
	}
	return err_field(a, ERR_INVALID, "state",
			 "unknown state \"%.*s\": expected running, paused, finished or canceled",
			 STR_ARG(str_head(state, 100)));
}

enum sweep_answer sweep_beat_answer(const struct sweep_beat *b)
{
	if (!b->is_known)
		return SWEEP_ANSWER_NOT_FOUND;
	if (b->state == SWEEP_STATE_CANCELED)
		return SWEEP_ANSWER_EXIT;
	if (b->stop_count)
		return SWEEP_ANSWER_STOP;
	if (b->state == SWEEP_STATE_FINISHED)
		return b->run_count ? SWEEP_ANSWER_NOTHING : SWEEP_ANSWER_EXIT;
	if (b->state != SWEEP_STATE_RUNNING || b->run_count >= b->capacity)
		return SWEEP_ANSWER_NOTHING;
	if (b->has_unstarted)
		return SWEEP_ANSWER_AGAIN;
	if (b->is_set_aside)
		return SWEEP_ANSWER_NOTHING;
	return b->has_preempted ? SWEEP_ANSWER_RESUME : SWEEP_ANSWER_SUGGEST;
}
