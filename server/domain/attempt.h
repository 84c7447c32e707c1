#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <stddef.h>

#include "run.h"

/*
 * The rule for the end of an attempt: one pure function, its truth table in the tests.
 *
 * Only writers of the attempt count. Each of its primaries is heard, lost (silent beyond the limit)
 * or ended:
 *
 *	ended  heard  lost   anybody heard   verdict
 *	>0     0      any    -               the worst of the states and exit codes of those that ended
 *	>0     >0     any    -               wait for those that are heard
 *	0      >0     any    yes             wait
 *	0      0      any    yes             wait; a primary's silence is not yet a crash
 *	0      0      any    no              crashed
 *
 * An attempt that a join began on an ended run, and that no primary joined, falls back to how the
 * run had ended once its workers all ended or fell silent: an evaluator that comes late does not
 * undo an end. An attempt whose only writers are users' hands waits for a user.
 */
struct attempt_verdict {
	int16_t state; /* RUN_RUNNING: not ended yet */
	bool has_exit_code;
	int32_t exit_code;
	bool end_pending;      /* while running: a primary has ended */
	timestamp_us look_at;  /* while running: when the passing of time may change the verdict */
	timestamp_us ended_at; /* when the last of those that ended did; 0: now */
	bool is_told;          /* crashed or preempted, as writers said */
	struct str said;       /* why, in the words of the one with the worst state; empty: none */
	const char *reason;
};

struct attempt_verdict attempt_decide(const struct run *run, const struct writer *writers,
				      size_t count, struct run_clock clock);

/*
 * When a writer's silence made it lost: it is, if it was last heard at this time or before. Silence
 * after the end of a run does not count, for a process need not report its own end; but when the
 * run failed or crashed, a writer that was not heard afterwards may be the reason.
 */
timestamp_us attempt_lost_until(const struct run *run, struct run_clock clock);
/* How many writers of the attempt are lost by that. */
size_t attempt_count_lost(const struct run *run, const struct writer *writers, size_t count,
			  struct run_clock clock);

#endif
