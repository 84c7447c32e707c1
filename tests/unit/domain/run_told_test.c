/* A run whose writers say when it began and ended, how, and why: one sends what a dead process left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "run_scene.h"

enum { DAY_S = 86400 };

static err_t finish(struct run_scene *s, int which, struct run_finish how)
{
	return run_finish(s->a, &s->run, s->writers, WRITERS - 1, (size_t)which, &how, s->clock,
			  &s->changes);
}

static void begin(struct run_scene *s)
{
	run_scene_begin_joined(s);
}

/* ---- bounds ----------------------------------------------------------------------------------------- */

static void test_a_start_has_bounds(void **state)
{
	static const struct {
		int64_t started_us;
		bool is_good;
	} cases[] = {
		{ 1, true },
		{ 0, false },
		{ -1, false },
		{ NOW_S * SECOND, true },
		{ (NOW_S + DAY_S) * SECOND, true },
		{ (NOW_S + DAY_S) * SECOND + 1, false },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = run_check_start(a, (timestamp_us){ cases[i].started_us },
					  (timestamp_us){ NOW_S * SECOND });

		if ((e == NULL) != cases[i].is_good)
			fail_msg("case %zu", i);
		if (e)
			assert_string_equal(e->field, "started_at");
	}
	arena_free(a);
}

static void test_an_end_has_bounds(void **state)
{
	static const struct {
		int64_t started_s, told_s, now_s, end_s;
	} cases[] = {
		{ 100, 0, 1000, 1000 },    /* not told */
		{ 100, 500, 1000, 500 },   /* told */
		{ 100, 100, 1000, 100 },   /* at its start */
		{ 100, 99, 1000, 100 },    /* before it */
		{ 100, 1000, 1000, 1000 }, /* now */
		{ 100, 1001, 1000, 1000 }, /* in the future */
		{ 1000, 1001, 1000, 1000 },
		{ 1001, 1002, 1000, 1002 }, /* of a run that began in the future */
		{ 1001, 1001, 1000, 1001 },
		{ 1001, 1000, 1000, 1001 },
		{ 1001, 1000 + DAY_S, 1000, 1000 + DAY_S },
		{ 1001, 1001 + DAY_S, 1000, 1000 + DAY_S }, /* further ahead than a clock may be */
		{ 1002 + DAY_S, 1003 + DAY_S, 1000, 1002 + DAY_S },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct run run = { .started_at = { cases[i].started_s * SECOND } };
		timestamp_us end = run_end_time(&run, (timestamp_us){ cases[i].told_s * SECOND },
						(timestamp_us){ cases[i].now_s * SECOND });

		if (end.us != cases[i].end_s * SECOND)
			fail_msg("case %zu: %lld", i, (long long)(end.us / SECOND));
	}
}

static void test_it_began_before(void **state)
{
	struct run_scene s;

	(void)state;
	run_scene_begin(&s);
	run_make_begun(&s.run, (timestamp_us){ 40 * SECOND }, s.clock, USER, &s.changes);
	assert_int_equal(s.run.started_at.us, 40 * SECOND);
	assert_int_equal(s.run.heard_at.us, 100 * SECOND);
	assert_int_equal(s.run.look_at.us, (100 + LIMIT_S) * SECOND);
	assert_int_equal(s.changes.at[0].at.us, 40 * SECOND);
	run_scene_end(&s);
}

/* ---- how it ended ------------------------------------------------------------------------------------- */

static void test_states_that_a_primary_tells(void **state)
{
	static const int16_t states[] = { RUN_CRASHED, RUN_PREEMPTED, RUN_KILLED, RUN_FAILED,
					  RUN_FINISHED };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		const struct run_finish how = { .state = states[i],
						.has_no_exit_code = true,
						.ended_at = { 950 * SECOND },
						.reason = STR("time limit of the Slurm job") };
		struct run_scene s;

		begin(&s);
		assert_null(finish(&s, PRIMARY, how));
		assert_int_equal(s.run.state, states[i]);
		assert_false(s.run.has_exit_code);
		assert_int_equal(s.run.ended_at.us, 950 * SECOND);
		assert_int_equal(s.writers[PRIMARY].ended_at.us, 950 * SECOND);
		assert_true(str_is(s.run.end_reason, "time limit of the Slurm job"));
		assert_string_equal(s.changes.at[0].reason, "time limit of the Slurm job");
		assert_int_equal(s.changes.at[0].at.us, 950 * SECOND);
		run_scene_end(&s);
	}
}

static void test_a_reason_with_an_exit_code(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s);
	assert_null(finish(&s, PRIMARY,
			   (struct run_finish){ .exit_code = -9, .reason = STR("killed") }));
	assert_int_equal(s.run.state, RUN_FAILED);
	assert_int_equal(s.run.exit_code, -9);
	assert_int_equal(s.run.ended_at.us, NOW_S * SECOND);
	assert_true(str_is(s.run.end_reason, "killed"));
	run_scene_end(&s);
}

/* It has no reason unless one was given, but for silence. */
static void test_no_reason(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s);
	assert_null(finish(&s, PRIMARY, (struct run_finish){ .exit_code = 0 }));
	assert_int_equal(s.run.end_reason.len, 0);
	run_scene_end(&s);

	begin(&s);
	run_scene_at(&s, NOW_S + LIMIT_S);
	run_sweep(&s.run, s.writers, WRITERS - 1, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_CRASHED);
	assert_false(s.run.end_told);
	assert_true(s.run.end_reason.len > 0);
	run_scene_hear(&s, WORKER);
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_int_equal(s.run.end_reason.len, 0);
	run_scene_end(&s);
}

/* The worst state, with the reason of the first that gave one; the time of the last. */
static void test_several_primaries(void **state)
{
	static const struct {
		struct run_finish one, other;
		int16_t state;
		const char *reason;
	} cases[] = {
		{ { .state = RUN_CRASHED, .reason = { "a", 1 } },
		  { .exit_code = 1, .reason = { "b", 1 } },
		  RUN_CRASHED,
		  "a" },
		{ { .state = RUN_CRASHED, .reason = { "a", 1 } },
		  { .state = RUN_PREEMPTED, .reason = { "b", 1 } },
		  RUN_PREEMPTED,
		  "b" },
		{ { .exit_code = 1, .reason = { "a", 1 } },
		  { .state = RUN_KILLED, .reason = { "b", 1 } },
		  RUN_FAILED,
		  "a" },
		{ { .exit_code = 0, .reason = { "a", 1 } }, { .exit_code = 1 }, RUN_FAILED, "" },
		{ { .exit_code = 1, .reason = { "a", 1 } },
		  { .exit_code = 1, .reason = { "b", 1 } },
		  RUN_FAILED,
		  "a" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_finish one = cases[i / 2].one, other = cases[i / 2].other;
		bool turned = i % 2;
		struct run_scene s;

		begin(&s);
		s.writers[WORKER].role = WRITER_PRIMARY;
		one.ended_at.us = 950 * SECOND;
		other.ended_at.us = 960 * SECOND;
		assert_null(finish(&s, turned ? WORKER : PRIMARY, turned ? other : one));
		assert_int_equal(s.run.state, RUN_RUNNING);
		assert_null(finish(&s, turned ? PRIMARY : WORKER, turned ? one : other));
		assert_int_equal(s.run.state, cases[i / 2].state);
		assert_true(str_is(s.run.end_reason, cases[i / 2].reason));
		assert_int_equal(s.run.ended_at.us, 960 * SECOND);
		run_scene_end(&s);
	}
}

static void test_a_worker_tells_its_own_end(void **state)
{
	struct run_scene s;
	err_t e;

	(void)state;
	begin(&s);
	e = finish(&s, WORKER,
		   (struct run_finish){ .state = RUN_CRASHED, .has_no_exit_code = true });
	assert_string_equal(e->type, "worker-may-not-decide");
	assert_null(finish(&s, WORKER,
			   (struct run_finish){ .exit_code = -9,
						.ended_at = { 950 * SECOND },
						.reason = STR("killed by signal 9") }));
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_int_equal(s.writers[WORKER].ended_at.us, 950 * SECOND);
	assert_true(str_is(s.writers[WORKER].end_reason, "killed by signal 9"));
	assert_int_equal(s.run.end_reason.len, 0);
	run_scene_join(&s, WORKER);
	assert_int_equal(s.writers[WORKER].end_reason.len, 0);
	run_scene_end(&s);
}

/* A preempting run that fails was preempted; that it crashed for another reason is known to its writer. */
static void test_of_a_preempting_run(void **state)
{
	static const struct {
		struct run_finish how;
		int16_t state;
	} cases[] = {
		{ { .exit_code = 1 }, RUN_PREEMPTED },
		{ { .state = RUN_PREEMPTED, .has_no_exit_code = true }, RUN_PREEMPTED },
		{ { .state = RUN_CRASHED, .has_no_exit_code = true }, RUN_CRASHED },
		{ { .exit_code = 0 }, RUN_FINISHED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_scene s;

		begin(&s);
		run_preempt(&s.run, &s.writers[PRIMARY], &s.changes);
		assert_null(finish(&s, PRIMARY, cases[i].how));
		assert_int_equal(s.run.state, cases[i].state);
		run_scene_end(&s);
	}
}

/* Data of other writers that comes later does not make it run again; a join does, and its workers leave it as it was. */
static void test_late_data(void **state)
{
	static const int16_t states[] = { RUN_CRASHED, RUN_PREEMPTED };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct run_scene s;

		begin(&s);
		assert_null(finish(&s, PRIMARY,
				   (struct run_finish){ .state = states[i],
							.has_no_exit_code = true,
							.reason = STR("out of time") }));
		run_scene_hear(&s, WORKER);
		assert_int_equal(s.run.state, states[i]);
		assert_int_equal(s.run.attempt, 1);
		run_scene_join(&s, WORKER);
		assert_int_equal(s.run.state, RUN_RUNNING);
		assert_int_equal(s.run.attempt, 2);
		assert_null(finish(&s, WORKER, (struct run_finish){ .exit_code = 0 }));
		run_scene_at(&s, NOW_S + LIMIT_S);
		run_sweep(&s.run, s.writers, WRITERS - 1, s.clock, &s.changes);
		assert_int_equal(s.run.state, states[i]);
		assert_true(s.run.end_told);
		assert_true(str_is(s.run.end_reason, "out of time"));
		run_scene_end(&s);
	}
}

/* A requeued job goes on. */
static void test_the_next_attempt(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s);
	assert_null(
		finish(&s, PRIMARY,
		       (struct run_finish){ .state = RUN_PREEMPTED, .has_no_exit_code = true }));
	run_scene_join(&s, PRIMARY);
	assert_int_equal(s.run.attempt, 2);
	assert_null(finish(&s, PRIMARY, (struct run_finish){ .exit_code = 0 }));
	assert_int_equal(s.run.state, RUN_FINISHED);
	assert_int_equal(s.run.end_reason.len, 0);
	assert_false(s.run.end_told);
	run_scene_end(&s);
}

static void test_reasons_of_users(void **state)
{
	struct run_hand hand = { .finish.state = RUN_KILLED,
				 .user_id = USER,
				 .reason = "diverged" };
	struct run_scene s;

	(void)state;
	begin(&s);
	run_finish_by_hand(&s.run, &hand, s.clock, &s.changes);
	assert_true(str_is(s.run.end_reason, "diverged"));
	run_scene_override(&s, RUN_CRASHED);
	assert_true(str_is(s.run.end_reason, "so"));
	assert_false(s.run.end_told);
	run_scene_override(&s, RUN_PENDING);
	assert_int_equal(s.run.end_reason.len, 0);
	hand.reason = NULL;
	run_finish_by_hand(&s.run, &hand, s.clock, &s.changes);
	assert_int_equal(s.run.end_reason.len, 0);
	assert_string_equal(s.changes.at[3].reason, "ended by hand");
	run_scene_end(&s);
}

/* ---- what is sent later ------------------------------------------------------------------------------- */

static struct run_finish told(int16_t state, int64_t second)
{
	return (struct run_finish){ .state = state,
				    .has_no_exit_code = true,
				    .ended_at = { second * SECOND } };
}

/* Began at 40 s; nobody has joined. */
static void begin_spooled(struct run_scene *s)
{
	run_scene_begin(s);
	run_make_begun(&s->run, (timestamp_us){ 40 * SECOND }, s->clock, USER, &s->changes);
	run_scene_at(s, NOW_S);
	s->changes.count = 0;
}

/* The primary's spool was sent before those of the workers. */
static void test_a_late_worker(void **state)
{
	static const int16_t states[] = { RUN_FINISHED, RUN_FAILED, RUN_KILLED, RUN_CRASHED,
					  RUN_PREEMPTED };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct run_scene s;

		begin_spooled(&s);
		run_scene_join_later(&s, PRIMARY, 41);
		assert_null(finish(&s, PRIMARY, told(states[i], 90)));
		run_scene_join_later(&s, WORKER, 42);
		assert_true(s.writers[WORKER].late);
		assert_int_equal(s.writers[WORKER].attempt, 1);
		run_scene_hear(&s, WORKER);
		run_preempt(&s.run, &s.writers[WORKER], &s.changes);
		assert_null(finish(&s, WORKER, (struct run_finish){ .exit_code = 1 }));
		assert_int_equal(s.writers[WORKER].state, WRITER_ENDED);
		assert_int_equal(s.run.state, states[i]);
		assert_int_equal(s.run.attempt, 1);
		assert_int_equal(s.run.started_at.us, 40 * SECOND);
		assert_int_equal(s.run.ended_at.us, 90 * SECOND);
		assert_int_equal(s.changes.count, 1);
		run_scene_end(&s);
	}
}

/* The run fell silent because its process could not reach the server, not because it had ended. */
static void test_of_a_silent_run(void **state)
{
	struct run_scene s;

	(void)state;
	begin_spooled(&s);
	run_scene_join(&s, PRIMARY);
	run_scene_at(&s, NOW_S + LIMIT_S);
	run_sweep(&s.run, s.writers, WRITERS, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_CRASHED);
	run_scene_at(&s, NOW_S + 2 * LIMIT_S);
	run_scene_join_later(&s, PRIMARY, 41);
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_int_equal(s.run.attempt, 1);
	assert_int_equal(s.run.started_at.us, 40 * SECOND);
	assert_int_equal(s.run.end_reason.len, 0);
	assert_int_equal(s.run.look_at.us, (NOW_S + 3 * LIMIT_S) * SECOND);
	assert_null(finish(&s, PRIMARY, told(RUN_FINISHED, NOW_S + 10)));
	assert_int_equal(s.run.state, RUN_FINISHED);
	assert_int_equal(s.run.ended_at.us, (NOW_S + 10) * SECOND);
	run_scene_end(&s);
}

/* A requeued job is the next attempt, from its own start; in any order of sending the last state is that of the last job. */
static void test_jobs_after_each_other(void **state)
{
	struct run_scene s;

	(void)state;
	begin_spooled(&s);
	run_scene_join_later(&s, PRIMARY, 40);
	assert_null(finish(&s, PRIMARY, told(RUN_PREEMPTED, 50)));
	s.writers[2] = run_scene_writer(2, WRITER_PRIMARY, "rank0");
	run_scene_join_later(&s, 2, 50);
	assert_int_equal(s.run.attempt, 2);
	assert_int_equal(s.run.started_at.us, 50 * SECOND);
	assert_int_equal(s.changes.at[1].at.us, 50 * SECOND);
	assert_null(run_finish(s.a, &s.run, s.writers, WRITERS, 2,
			       &(struct run_finish){ .ended_at = { 60 * SECOND } }, s.clock,
			       &s.changes));
	assert_int_equal(s.run.state, RUN_FINISHED);
	assert_int_equal(s.run.ended_at.us, 60 * SECOND);
	run_scene_end(&s);

	begin_spooled(&s);
	s.writers[2] = run_scene_writer(2, WRITER_PRIMARY, "rank0");
	run_scene_join_later(&s, 2, 50);
	assert_null(run_finish(s.a, &s.run, s.writers, WRITERS, 2,
			       &(struct run_finish){ .ended_at = { 60 * SECOND } }, s.clock,
			       &s.changes));
	run_scene_join_later(&s, PRIMARY, 40);
	assert_null(finish(&s, PRIMARY, told(RUN_PREEMPTED, 50)));
	assert_int_equal(s.run.state, RUN_FINISHED);
	assert_int_equal(s.run.attempt, 1);
	assert_int_equal(s.run.ended_at.us, 60 * SECOND);
	run_scene_end(&s);
}

/* The rest of an earlier attempt does not decide the one that runs, nor keep it alive, nor take the place of its writers. */
static void test_of_an_earlier_attempt(void **state)
{
	struct run_scene s;

	(void)state;
	begin_spooled(&s);
	run_scene_join(&s, PRIMARY);
	assert_null(finish(&s, PRIMARY, told(RUN_PREEMPTED, 0)));
	run_scene_at(&s, NOW_S + 10);
	s.writers[2] = run_scene_writer(2, WRITER_PRIMARY, "rank0");
	run_scene_join(&s, 2);
	assert_int_equal(s.run.attempt, 2);
	run_scene_at(&s, NOW_S + 20);
	run_scene_join_later(&s, PRIMARY, 41);
	run_scene_join_later(&s, WORKER, 42);
	assert_true(s.writers[PRIMARY].late && s.writers[WORKER].late);
	assert_int_equal(s.writers[PRIMARY].attempt, 1);
	assert_int_equal(s.writers[WORKER].attempt, 1);
	assert_int_equal(s.run.heard_at.us, (NOW_S + 10) * SECOND);
	assert_null(finish(&s, PRIMARY, told(RUN_PREEMPTED, NOW_S)));
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_false(s.run.end_pending);
	run_scene_at(&s, NOW_S + 10 + LIMIT_S);
	run_scene_hear(&s, WORKER);
	run_sweep(&s.run, s.writers, WRITERS, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_CRASHED);
	run_scene_hear(&s, WORKER);
	run_scene_join_later(&s, WORKER, 42);
	assert_int_equal(s.run.state, RUN_CRASHED);
	run_scene_join(&s, WORKER);
	assert_false(s.writers[WORKER].late);
	assert_int_equal(s.run.state, RUN_RUNNING);
	run_scene_end(&s);
}

/* A run that waits to begin again does so by the next job, not by the rest of the one before. */
static void test_of_a_pending_run(void **state)
{
	struct run_scene s;

	(void)state;
	begin_spooled(&s);
	run_scene_join(&s, PRIMARY);
	run_scene_override(&s, RUN_PENDING);
	run_scene_join_later(&s, PRIMARY, 41);
	assert_int_equal(s.run.state, RUN_PENDING);
	run_scene_join_later(&s, WORKER, 50);
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_int_equal(s.run.attempt, 2);
	assert_int_equal(s.run.started_at.us, 50 * SECOND);
	run_scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_start_has_bounds),
		cmocka_unit_test(test_an_end_has_bounds),
		cmocka_unit_test(test_it_began_before),
		cmocka_unit_test(test_states_that_a_primary_tells),
		cmocka_unit_test(test_a_reason_with_an_exit_code),
		cmocka_unit_test(test_no_reason),
		cmocka_unit_test(test_several_primaries),
		cmocka_unit_test(test_a_worker_tells_its_own_end),
		cmocka_unit_test(test_of_a_preempting_run),
		cmocka_unit_test(test_late_data),
		cmocka_unit_test(test_the_next_attempt),
		cmocka_unit_test(test_reasons_of_users),
		cmocka_unit_test(test_a_late_worker),
		cmocka_unit_test(test_of_a_silent_run),
		cmocka_unit_test(test_jobs_after_each_other),
		cmocka_unit_test(test_of_an_earlier_attempt),
		cmocka_unit_test(test_of_a_pending_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
