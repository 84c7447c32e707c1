#include "attempt.h"

#include <limits.h>

struct tally {
	unsigned ended;
	unsigned heard;
	unsigned lost;
	unsigned workers;       /* writers that are neither primaries nor hands */
	unsigned workers_alive; /* joined, not ended, not silent */
	unsigned hands;
	int64_t first_silence_us; /* when the first of the live primaries will be lost */
	bool has_code;
	int32_t worst_code;
	int16_t worst_state;
	struct str said; /* of the first with that state that gave a reason */
	timestamp_us said_at;
	timestamp_us last_end;
};

static const struct attempt_verdict waiting = { .state = RUN_RUNNING };

static int16_t state_of(const struct writer *w)
{
	if (w->end_state)
		return w->end_state;
	return w->has_exit_code && w->exit_code != 0 ? RUN_FAILED : RUN_FINISHED;
}

/*
 * Preempted is worse than crashed, crashed than failed, failed than killed, killed than finished: the
 * processes that a dead one leaves behind fail because of it.
 */
static int rank_of(int16_t state)
{
	static const int ranks[] = {
		[RUN_FINISHED] = 1, [RUN_KILLED] = 2,    [RUN_FAILED] = 3,
		[RUN_CRASHED] = 4,  [RUN_PREEMPTED] = 5,
	};

	return ranks[state];
}

static int code_size(int32_t code)
{
	return code < 0 ? -code : code;
}

static void count_reason(struct tally *t, const struct writer *w)
{
	if (!w->end_reason.len || (t->said.len && t->said_at.us <= w->ended_at.us))
		return;
	t->said = w->end_reason;
	t->said_at = w->ended_at;
}

static void count_ended(struct tally *t, const struct writer *w)
{
	int16_t state = state_of(w);

	t->ended++;
	if (!t->worst_state || rank_of(state) > rank_of(t->worst_state)) {
		t->worst_state = state;
		t->said = (struct str){ NULL, 0 };
	}
	if (state == t->worst_state)
		count_reason(t, w);
	if (w->ended_at.us > t->last_end.us)
		t->last_end = w->ended_at;
	t->has_code |= w->has_exit_code;
	if (w->has_exit_code && code_size(w->exit_code) > code_size(t->worst_code))
		t->worst_code = w->exit_code;
}

static void count_primary(struct tally *t, const struct writer *w, struct run_clock clock)
{
	int64_t silent_at_us = w->heard_at.us + clock.limit_us;

	/* A writer that lives and has an exit code is several processes, of which some have ended. */
	if (w->state != WRITER_ALIVE || w->has_exit_code)
		count_ended(t, w);
	if (w->state != WRITER_ALIVE)
		return;
	if (writer_is_lost(w, clock.now, clock.limit_us)) {
		t->lost++;
	} else {
		t->heard++;
		if (silent_at_us < t->first_silence_us)
			t->first_silence_us = silent_at_us;
	}
}

static struct tally tally_writers(const struct run *run, const struct writer *writers, size_t count,
				  struct run_clock clock)
{
	struct tally t = { .first_silence_us = INT64_MAX };

	for (size_t i = 0; i < count; i++) {
		const struct writer *w = &writers[i];

		if (w->attempt != run->attempt || w->state == WRITER_REPLACED)
			continue;
		if (w->role == WRITER_HAND) {
			t.hands++;
		} else if (w->role == WRITER_PRIMARY) {
			count_primary(&t, w, clock);
		} else {
			t.workers++;
			t.workers_alive += w->state == WRITER_ALIVE &&
					   !writer_is_lost(w, clock.now, clock.limit_us);
		}
	}
	return t;
}

static struct attempt_verdict decided_by_ended(const struct tally *t)
{
	return (struct attempt_verdict){
		.state = t->worst_state,
		.has_exit_code = t->has_code,
		.exit_code = t->worst_code,
		.ended_at = t->lost ? (timestamp_us){ 0 } : t->last_end,
		.is_told = t->worst_state == RUN_CRASHED || t->worst_state == RUN_PREEMPTED,
		.said = t->said,
		.reason = t->lost ? "the primaries that ended decided the state; the others are "
				    "lost"
				  : "all primary processes ended",
	};
}

static struct attempt_verdict wait_for_silence(const struct run *run, struct run_clock clock)
{
	struct attempt_verdict v = waiting;

	v.look_at.us = run->heard_at.us + clock.limit_us;
	return v;
}

static struct attempt_verdict decided_without_primary(const struct run *run, const struct tally *t,
						      struct run_clock clock)
{
	bool silent = clock.now.us - run->heard_at.us >= clock.limit_us;
	bool no_primary_came = t->workers && !t->lost;

	if (run->fallback_state && no_primary_came && !t->workers_alive)
		return (struct attempt_verdict){
			.state = run->fallback_state,
			.has_exit_code = run->has_exit_code,
			.exit_code = run->exit_code,
			.is_told = run->fallback_state == RUN_CRASHED ||
				   run->fallback_state == RUN_PREEMPTED,
			.said = run->end_reason,
			.reason = "the workers that joined late have ended",
		};
	if (t->hands && !t->workers && !t->lost) {
		struct attempt_verdict v = waiting;

		v.look_at.us = clock.now.us + clock.limit_us;
		return v;
	}
	if (!silent)
		return wait_for_silence(run, clock);
	return (struct attempt_verdict){
		.state = RUN_CRASHED,
		.reason = "no writer sent data within the time limit",
	};
}

struct attempt_verdict attempt_decide(const struct run *run, const struct writer *writers,
				      size_t count, struct run_clock clock)
{
	struct tally t = tally_writers(run, writers, count, clock);

	if (t.ended && !t.heard)
		return decided_by_ended(&t);
	if (t.ended) {
		struct attempt_verdict v = waiting;

		v.end_pending = true;
		v.look_at.us = t.first_silence_us;
		return v;
	}
	if (t.heard)
		return wait_for_silence(run, clock);
	return decided_without_primary(run, &t, clock);
}

timestamp_us attempt_lost_until(const struct run *run, struct run_clock clock)
{
	if (!run_has_ended(run))
		return (timestamp_us){ clock.now.us - clock.limit_us };
	if (run->state == RUN_FAILED || run->state == RUN_CRASHED)
		return run->ended_at;
	return (timestamp_us){ run->ended_at.us - clock.limit_us };
}

size_t attempt_count_lost(const struct run *run, const struct writer *writers, size_t count,
			  struct run_clock clock)
{
	timestamp_us until = attempt_lost_until(run, clock);
	size_t lost = 0;

	for (size_t i = 0; i < count; i++) {
		const struct writer *w = &writers[i];

		lost += w->attempt == run->attempt && w->state == WRITER_ALIVE &&
			w->role != WRITER_HAND && w->heard_at.us <= until.us;
	}
	return lost;
}
