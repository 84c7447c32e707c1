/*
 * Who decides the end of an attempt: every row of the table in attempt.h, and what stands below it.
 * The clock stands at 1000 s, the limit is 300 s; nobody was heard (of the run) means since 500 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attempt.h"

#define SECOND INT64_C(1000000)
enum { NOW_S = 1000, LIMIT_S = 300, ATTEMPT = 3, WRITERS = 4 };

#define PRIMARY .role = WRITER_PRIMARY, .attempt = ATTEMPT
#define WORKER .role = WRITER_WORKER, .attempt = ATTEMPT
#define HAND .role = WRITER_HAND, .attempt = ATTEMPT, .state = WRITER_ALIVE
#define HEARD_AT(s) .state = WRITER_ALIVE, .heard_at = { (s)*SECOND }
#define HEARD HEARD_AT(900)
#define LOST HEARD_AT(600)
#define ENDED(code) \
	.state = WRITER_ENDED, .has_exit_code = true, .exit_code = (code), .heard_at = { SECOND }
#define SOME_ENDED(code) .has_exit_code = true, .exit_code = (code)
#define ORPHANED .state = WRITER_ORPHANED, .heard_at = { SECOND }
#define REPLACED .state = WRITER_REPLACED, .heard_at = { SECOND }

#define RUNNING_UNTIL(s) \
	{ \
		.state = RUN_RUNNING, .look_at = {(s)*SECOND } \
	}
#define PENDING_UNTIL(s) \
	{ \
		.state = RUN_RUNNING, .end_pending = true, .look_at = {(s)*SECOND } \
	}
#define ENDS(state_, code) \
	{ \
		.state = RUN_##state_, .has_exit_code = true, .exit_code = (code) \
	}
#define CRASHES \
	{ \
		.state = RUN_CRASHED \
	}

struct attempt_case {
	const char *what;
	struct writer writers[WRITERS];
	int64_t run_heard_s; /* 0: 900, somebody was */
	int16_t fallback_state;
	struct attempt_verdict verdict; /* but for the reason */
};
#define SILENT .run_heard_s = 500

static const struct attempt_case cases[] = {
	/* some ended, none heard */
	{ "a primary ended", { { PRIMARY, ENDED(0) } }, .verdict = ENDS(FINISHED, 0) },
	{ "a primary failed", { { PRIMARY, ENDED(2) } }, .verdict = ENDS(FAILED, 2) },
	{ "killed by a signal", { { PRIMARY, ENDED(-9) } }, .verdict = ENDS(FAILED, -9) },
	{ "it asked for killed",
	  { { PRIMARY, ENDED(0), .end_state = RUN_KILLED } },
	  .verdict = ENDS(KILLED, 0) },
	{ "it asked for finished in spite of its code",
	  { { PRIMARY, ENDED(7), .end_state = RUN_FINISHED } },
	  .verdict = ENDS(FINISHED, 7) },
	{ "the worst of two codes",
	  { { PRIMARY, ENDED(0) }, { PRIMARY, ENDED(3) } },
	  .verdict = ENDS(FAILED, 3) },
	{ "the worst of two codes, the other way round",
	  { { PRIMARY, ENDED(3) }, { PRIMARY, ENDED(0) } },
	  .verdict = ENDS(FAILED, 3) },
	{ "killed is worse than finished, failed worse than killed",
	  { { PRIMARY, ENDED(0) },
	    { PRIMARY, ENDED(1) },
	    { PRIMARY, ENDED(0), .end_state = RUN_KILLED } },
	  .verdict = ENDS(FAILED, 1) },
	{ "killed is worse than finished",
	  { { PRIMARY, ENDED(0), .end_state = RUN_KILLED }, { PRIMARY, ENDED(0) } },
	  .verdict = ENDS(KILLED, 0) },
	{ "one ended, one lost: the ended one decides",
	  { { PRIMARY, ENDED(0) }, { PRIMARY, LOST } },
	  .verdict = ENDS(FINISHED, 0) },
	{ "one failed, one lost",
	  { { PRIMARY, LOST }, { PRIMARY, ENDED(1) } },
	  .verdict = ENDS(FAILED, 1) },
	{ "ended, and a worker lives",
	  { { PRIMARY, ENDED(0) }, { WORKER, HEARD } },
	  .verdict = ENDS(FINISHED, 0) },
	{ "ended, and nobody else was heard: no crash",
	  { { PRIMARY, ENDED(0) }, { PRIMARY, LOST }, { WORKER, LOST } },
	  SILENT,
	  .verdict = ENDS(FINISHED, 0) },
	{ "ended by its parent, which told no code",
	  { { PRIMARY, ORPHANED } },
	  .verdict = { .state = RUN_FINISHED } },
	{ "ended, and its child by it",
	  { { PRIMARY, ENDED(4) }, { PRIMARY, ORPHANED } },
	  .verdict = ENDS(FAILED, 4) },

	/* some ended, some heard */
	{ "one ended, one heard",
	  { { PRIMARY, ENDED(1) }, { PRIMARY, HEARD } },
	  .verdict = PENDING_UNTIL(1200) },
	{ "one ended, one heard, one lost",
	  { { PRIMARY, ENDED(0) }, { PRIMARY, LOST }, { PRIMARY, HEARD } },
	  .verdict = PENDING_UNTIL(1200) },
	{ "one ended, two heard: until the first of them is silent",
	  { { PRIMARY, HEARD_AT(950) }, { PRIMARY, ENDED(0) }, { PRIMARY, HEARD_AT(720) } },
	  .verdict = PENDING_UNTIL(1020) },

	/* several processes are one writer */
	{ "one of its processes ended, another one goes on",
	  { { PRIMARY, HEARD, SOME_ENDED(0) } },
	  .verdict = PENDING_UNTIL(1200) },
	{ "one of its processes ended, the others are lost",
	  { { PRIMARY, LOST, SOME_ENDED(3) } },
	  .verdict = ENDS(FAILED, 3) },
	{ "one of its processes ended, and another writer",
	  { { PRIMARY, HEARD, SOME_ENDED(0) }, { PRIMARY, ENDED(2) } },
	  .verdict = PENDING_UNTIL(1200) },

	/* none ended, some heard */
	{ "a primary at work", { { PRIMARY, HEARD } }, .verdict = RUNNING_UNTIL(1200) },
	{ "one at work, one lost",
	  { { PRIMARY, HEARD }, { PRIMARY, LOST } },
	  .verdict = RUNNING_UNTIL(1200) },
	{ "just within the limit",
	  { { PRIMARY, HEARD_AT(701) } },
	  .run_heard_s = 701,
	  .verdict = RUNNING_UNTIL(1001) },

	/* none ended, none heard, but somebody was */
	{ "a lost primary, a worker at work",
	  { { PRIMARY, LOST }, { WORKER, HEARD } },
	  .verdict = RUNNING_UNTIL(1200) },
	{ "workers only", { { WORKER, HEARD }, { WORKER, LOST } }, .verdict = RUNNING_UNTIL(1200) },
	{ "a worker's end decides nothing",
	  { { WORKER, ENDED(1) }, { WORKER, HEARD } },
	  .verdict = RUNNING_UNTIL(1200) },
	{ "every worker ended", { { WORKER, ENDED(0) } }, .verdict = RUNNING_UNTIL(1200) },
	{ "nobody joined yet", { { 0 } }, .verdict = RUNNING_UNTIL(1200) },
	{ "late data of a writer that ended before",
	  { { .role = WRITER_PRIMARY, .attempt = ATTEMPT - 1, ENDED(1) } },
	  .verdict = RUNNING_UNTIL(1200) },

	/* none ended, none heard, nobody was */
	{ "a lost primary", { { PRIMARY, LOST } }, SILENT, .verdict = CRASHES },
	{ "at the limit", { { PRIMARY, HEARD_AT(700) } }, .run_heard_s = 700, .verdict = CRASHES },
	{ "all lost", { { PRIMARY, LOST }, { WORKER, LOST } }, SILENT, .verdict = CRASHES },
	{ "workers only, lost", { { WORKER, LOST } }, SILENT, .verdict = CRASHES },
	{ "workers only, ended", { { WORKER, ENDED(0) } }, SILENT, .verdict = CRASHES },
	{ "nobody ever joined", { { 0 } }, SILENT, .verdict = CRASHES },
	{ "one who ended an earlier attempt",
	  { { .role = WRITER_PRIMARY, .attempt = ATTEMPT - 1, ENDED(0) } },
	  SILENT,
	  .verdict = CRASHES },
	{ "one who was replaced", { { PRIMARY, REPLACED } }, SILENT, .verdict = CRASHES },
	{ "a lost primary and a hand",
	  { { PRIMARY, LOST }, { HAND } },
	  SILENT,
	  .verdict = CRASHES },

	/* only writers of the attempt, only those that were not replaced */
	{ "an earlier attempt's failure",
	  { { .role = WRITER_PRIMARY, .attempt = ATTEMPT - 1, ENDED(1) }, { PRIMARY, ENDED(0) } },
	  .verdict = ENDS(FINISHED, 0) },
	{ "an earlier attempt's primary is not awaited",
	  { { .role = WRITER_PRIMARY, .attempt = ATTEMPT - 1, HEARD }, { PRIMARY, ENDED(0) } },
	  .verdict = ENDS(FINISHED, 0) },
	{ "one who was replaced is not awaited",
	  { { PRIMARY, REPLACED }, { PRIMARY, ENDED(5) } },
	  .verdict = ENDS(FAILED, 5) },

	/* a join began the attempt on an ended run */
	{ "a late evaluator at work",
	  { { WORKER, HEARD } },
	  .fallback_state = RUN_FAILED,
	  .verdict = RUNNING_UNTIL(1200) },
	{ "a late evaluator ended",
	  { { WORKER, ENDED(1) } },
	  .fallback_state = RUN_FAILED,
	  .verdict = ENDS(FAILED, 77) },
	{ "a late evaluator lost",
	  { { WORKER, LOST } },
	  SILENT,
	  .fallback_state = RUN_KILLED,
	  .verdict = ENDS(KILLED, 77) },
	{ "one of two late evaluators ended",
	  { { WORKER, ENDED(0) }, { WORKER, HEARD } },
	  .fallback_state = RUN_FINISHED,
	  .verdict = RUNNING_UNTIL(1200) },
	{ "a late evaluator ended, and a person wrote rows",
	  { { WORKER, ENDED(0) }, { HAND } },
	  .fallback_state = RUN_FINISHED,
	  .verdict = ENDS(FINISHED, 77) },
	{ "a primary came, too, and ended: it decides",
	  { { WORKER, ENDED(0) }, { PRIMARY, ENDED(2) } },
	  .fallback_state = RUN_FINISHED,
	  .verdict = ENDS(FAILED, 2) },
	{ "a primary came, too, and was lost: no way back",
	  { { WORKER, ENDED(0) }, { PRIMARY, LOST } },
	  SILENT,
	  .fallback_state = RUN_FINISHED,
	  .verdict = CRASHES },

	/* people's hands */
	{ "a hand alone waits for a person", { { HAND } }, SILENT, .verdict = RUNNING_UNTIL(1300) },
	{ "a hand and a lost worker", { { HAND }, { WORKER, LOST } }, SILENT, .verdict = CRASHES },
	{ "a hand is not awaited by a primary's end",
	  { { HAND }, { PRIMARY, ENDED(0) } },
	  .verdict = ENDS(FINISHED, 0) },
};

static size_t count_writers(const struct attempt_case *c)
{
	size_t count = 0;

	while (count < WRITERS && c->writers[count].role)
		count++;
	return count;
}

static bool same_verdict(const struct attempt_verdict *a, const struct attempt_verdict *b)
{
	return a->state == b->state && a->has_exit_code == b->has_exit_code &&
	       (!a->has_exit_code || a->exit_code == b->exit_code) &&
	       a->end_pending == b->end_pending && a->look_at.us == b->look_at.us;
}

static void test_table(void **state)
{
	const struct run_clock clock = { { NOW_S * SECOND }, LIMIT_S * SECOND };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct attempt_case *c = &cases[i];
		const struct run run = {
			.state = RUN_RUNNING,
			.attempt = ATTEMPT,
			.fallback_state = c->fallback_state,
			.has_exit_code = c->fallback_state != 0,
			.exit_code = 77,
			.heard_at = { (c->run_heard_s ? c->run_heard_s : 900) * SECOND },
		};
		struct attempt_verdict v =
			attempt_decide(&run, c->writers, count_writers(c), clock);

		if (!same_verdict(&v, &c->verdict))
			fail_msg("%s: %s, exit code %d (%d), pending %d, look at %lld", c->what,
				 run_state_name(v.state), v.exit_code, v.has_exit_code,
				 v.end_pending, (long long)(v.look_at.us / SECOND));
		if (v.state != RUN_RUNNING)
			assert_non_null(v.reason);
	}
}

/* The order in which writers are listed decides nothing. */
static void test_order(void **state)
{
	const struct run_clock clock = { { NOW_S * SECOND }, LIMIT_S * SECOND };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct attempt_case *c = &cases[i];
		const struct run run = { .state = RUN_RUNNING,
					 .attempt = ATTEMPT,
					 .fallback_state = c->fallback_state,
					 .heard_at = { 900 * SECOND } };
		struct writer turned[WRITERS];
		size_t count = count_writers(c);
		struct attempt_verdict one, other;

		for (size_t k = 0; k < count; k++)
			turned[k] = c->writers[count - 1 - k];
		one = attempt_decide(&run, c->writers, count, clock);
		other = attempt_decide(&run, turned, count, clock);
		if (!same_verdict(&one, &other))
			fail_msg("%s: the order of writers counts", c->what);
	}
}

/* ---- who is lost ------------------------------------------------------------------------------- */

struct lost_case {
	const char *what;
	int16_t state;
	int64_t ended_s;
	struct writer writers[WRITERS];
	size_t lost;
};

static const struct lost_case lost_cases[] = {
	{ "silent for the limit", RUN_RUNNING, 0, { { WORKER, HEARD_AT(700) } }, 1 },
	{ "almost", RUN_RUNNING, 0, { { WORKER, HEARD_AT(701) } }, 0 },
	{ "a primary", RUN_RUNNING, 0, { { PRIMARY, LOST }, { WORKER, HEARD } }, 1 },
	{ "preempting runs", RUN_PREEMPTING, 0, { { WORKER, LOST }, { WORKER, LOST } }, 2 },
	{ "the end of a finished run", RUN_FINISHED, 900, { { WORKER, HEARD_AT(600) } }, 1 },
	{ "silence after it", RUN_FINISHED, 900, { { WORKER, HEARD_AT(601) } }, 0 },
	{ "killed", RUN_KILLED, 800, { { WORKER, HEARD_AT(501) }, { PRIMARY, ENDED(0) } }, 0 },
	{ "preempted", RUN_PREEMPTED, 900, { { WORKER, HEARD_AT(600) }, { WORKER, HEARD } }, 1 },
	{ "not heard since it failed", RUN_FAILED, 900, { { WORKER, HEARD_AT(900) } }, 1 },
	{ "heard since it failed", RUN_FAILED, 900, { { WORKER, HEARD_AT(901) } }, 0 },
	{ "all of a crashed run", RUN_CRASHED, 950, { { PRIMARY, LOST }, { WORKER, LOST } }, 2 },
	{ "not begun", RUN_PENDING, 0, { { WORKER, LOST } }, 0 },
	{ "ended, replaced, given up",
	  RUN_FAILED,
	  900,
	  { { PRIMARY, ENDED(1) },
	    { WORKER, REPLACED },
	    { WORKER, ORPHANED },
	    { WORKER, .state = WRITER_GIVEN_UP } },
	  0 },
	{ "by hand", RUN_CRASHED, 900, { { HAND } }, 0 },
	{ "of an earlier attempt",
	  RUN_FAILED,
	  900,
	  { { .role = WRITER_WORKER, .attempt = ATTEMPT - 1, LOST } },
	  0 },
};

static void test_lost(void **state)
{
	const struct run_clock clock = { { NOW_S * SECOND }, LIMIT_S * SECOND };

	(void)state;
	for (size_t i = 0; i < sizeof(lost_cases) / sizeof(lost_cases[0]); i++) {
		const struct lost_case *c = &lost_cases[i];
		const struct run run = { .state = c->state,
					 .attempt = ATTEMPT,
					 .ended_at = { c->ended_s * SECOND } };
		size_t count = 0;
		size_t lost;

		while (count < WRITERS && c->writers[count].role)
			count++;
		lost = attempt_count_lost(&run, c->writers, count, clock);
		if (lost != c->lost)
			fail_msg("%s: %zu are lost", c->what, lost);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
