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
};

static const struct attempt_verdict waiting = { .state = RUN_RUNNING };

static int16_t state_of(const struct writer *w)
{
	if (w->end_state)
		return w->end_state;
	return w->has_exit_code && w->exit_code != 0 ? RUN_FAILED : RUN_FINISHED;
}

/* Failed is worse than killed, killed worse than finished. */
static int rank_of(int16_t state)
{
	return state == RUN_FAILED ? 3 : state == RUN_KILLED ? 2 : 1;
}

static int code_size(int32_t code)
{
	return code < 0 ? -code : code;
}

static void count_ended(struct tally *t, const struct writer *w)
{
	int16_t state = state_of(w);

	t->ended++;
	if (!t->worst_state || rank_of(state) > rank_of(t->worst_state))
		t->worst_state = state;
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
