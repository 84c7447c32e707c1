/*
 * Changes of a run's state: what each event makes of each state, and what is recorded of it. One
 * primary and one worker have joined the first attempt; the clock stands at 1000 s, the limit is 300 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "run_scene.h"

static void begin(struct run_scene *s, enum run_state state)
{
	run_scene_begin_joined(s);
	if (state != RUN_RUNNING)
		run_scene_override(s, state);
	s->changes.count = 0;
}

/* ---- every state and every event --------------------------------------------------------------- */

enum event {
	JOIN_PRIMARY,
	JOIN_WORKER,
	HEAR,
	HEAR_ENDED, /* late data of a writer that ended */
	FINISH_PRIMARY,
	FAIL_PRIMARY,
	FINISH_WORKER,
	PROMOTE_WORKER,
	SWEEP,
	SWEEP_LATE, /* nobody was heard for the limit */
	SET_RUNNING,
	SET_KILLED,
	EVENTS
};

static void happen(struct run_scene *s, enum event event)
{
	switch (event) {
	case JOIN_PRIMARY:
	case JOIN_WORKER:
		run_scene_join(s, event == JOIN_PRIMARY ? PRIMARY : WORKER);
		break;
	case HEAR_ENDED:
		s->writers[WORKER].state = WRITER_ENDED;
		run_scene_hear(s, WORKER);
		break;
	case HEAR:
		run_scene_hear(s, WORKER);
		break;
	case FINISH_PRIMARY:
	case FAIL_PRIMARY:
		run_scene_finish(s, PRIMARY, event == FAIL_PRIMARY);
		break;
	case FINISH_WORKER:
		run_scene_finish(s, WORKER, 1);
		break;
	case PROMOTE_WORKER:
		run_scene_promote(s, WORKER);
		break;
	case SWEEP_LATE:
		run_scene_at(s, NOW_S + LIMIT_S);
		__attribute__((fallthrough));
	case SWEEP:
		run_sweep(&s->run, s->writers, 2, s->clock, &s->changes);
		break;
	case SET_RUNNING:
	case SET_KILLED:
		run_scene_override(s, event == SET_KILLED ? RUN_KILLED : RUN_RUNNING);
		break;
	case EVENTS:
		break;
	}
}

struct outcome {
	enum run_state state;
	int32_t attempt;
	unsigned changes;
};
#define STAYS(state) \
	{ \
		RUN_##state, 1, 0 \
	}
#define AGAIN \
	{ \
		RUN_RUNNING, 2, 1 \
	}
#define BECOMES(state) \
	{ \
		RUN_##state, 1, 1 \
	}
/* running again, and ended at once by the same event */
#define AGAIN_AND(state) \
	{ \
		RUN_##state, 2, 2 \
	}

static const struct outcome outcomes[EVENTS][RUN_KILLED + 1] = {
	[JOIN_PRIMARY] = { [RUN_RUNNING] = STAYS(RUNNING), AGAIN, AGAIN, AGAIN, AGAIN },
	[JOIN_WORKER] = { [RUN_RUNNING] = STAYS(RUNNING), AGAIN, AGAIN, AGAIN, AGAIN },
	[HEAR] = { [RUN_RUNNING] = STAYS(RUNNING),
		   STAYS(FINISHED),
		   STAYS(FAILED),
		   AGAIN,
		   STAYS(KILLED) },
	[HEAR_ENDED] = { [RUN_RUNNING] = STAYS(RUNNING),
			 STAYS(FINISHED),
			 STAYS(FAILED),
			 AGAIN,
			 STAYS(KILLED) },
	[FINISH_PRIMARY] = { [RUN_RUNNING] = BECOMES(FINISHED),
			     STAYS(FINISHED),
			     STAYS(FAILED),
			     AGAIN_AND(FINISHED),
			     STAYS(KILLED) },
	[FAIL_PRIMARY] = { [RUN_RUNNING] = BECOMES(FAILED),
			   STAYS(FINISHED),
			   STAYS(FAILED),
			   AGAIN_AND(FAILED),
			   STAYS(KILLED) },
	[FINISH_WORKER] = { [RUN_RUNNING] = STAYS(RUNNING),
			    STAYS(FINISHED),
			    STAYS(FAILED),
			    AGAIN,
			    STAYS(KILLED) },
	[PROMOTE_WORKER] = { [RUN_RUNNING] = STAYS(RUNNING),
			     STAYS(FINISHED),
			     STAYS(FAILED),
			     STAYS(CRASHED),
			     STAYS(KILLED) },
	[SWEEP] = { [RUN_RUNNING] = STAYS(RUNNING),
		    STAYS(FINISHED),
		    STAYS(FAILED),
		    STAYS(CRASHED),
		    STAYS(KILLED) },
	[SWEEP_LATE] = { [RUN_RUNNING] = BECOMES(CRASHED),
			 STAYS(FINISHED),
			 STAYS(FAILED),
			 STAYS(CRASHED),
			 STAYS(KILLED) },
	[SET_RUNNING] = { [RUN_RUNNING] = STAYS(RUNNING), AGAIN, AGAIN, AGAIN, AGAIN },
	[SET_KILLED] = { [RUN_RUNNING] = BECOMES(KILLED),
			 BECOMES(KILLED),
			 BECOMES(KILLED),
			 BECOMES(KILLED),
			 STAYS(KILLED) },
};

/* What is recorded leads from the state there was to the state there is, numbered without gaps. */
static void check_changes(const struct run_scene *s, enum run_state from)
{
	int16_t state = (int16_t)from;

	for (unsigned i = 0; i < s->changes.count; i++) {
		const struct run_change *c = &s->changes.at[i];

		assert_int_equal(c->from_state, state);
		assert_int_equal(c->number + (int32_t)(s->changes.count - i), s->run.next_state);
		assert_non_null(c->reason);
		state = c->to_state;
	}
	assert_int_equal(state, s->run.state);
}

static void test_every_state_and_event(void **state)
{
	(void)state;
	for (int event = 0; event < EVENTS; event++) {
		for (int from = RUN_RUNNING; from <= RUN_KILLED; from++) {
			const struct outcome *o = &outcomes[event][from];
			struct run_scene s;

			begin(&s, (enum run_state)from);
			happen(&s, (enum event)event);
			if (s.run.state != (int16_t)o->state || s.run.attempt != o->attempt ||
			    s.changes.count != o->changes)
				fail_msg("event %d on %s: %s, attempt %d, %u changes", event,
					 run_state_name(from), run_state_name(s.run.state),
					 s.run.attempt, s.changes.count);
			check_changes(&s, (enum run_state)from);
			run_scene_end(&s);
		}
	}
}

/* ---- who and why --------------------------------------------------------------------------------- */

static void test_made(void **state)
{
	struct run run = { .run_id = 1 };
	struct run_changes changes = { .count = 0 };
	const struct run_clock clock = { { 5 * SECOND }, LIMIT_S * SECOND };

	(void)state;
	run_make(&run, clock, USER, &changes);
	assert_int_equal(run.state, RUN_RUNNING);
	assert_int_equal(run.attempt, 1);
	assert_int_equal(run.last_step, -1);
	assert_int_equal(run.look_at.us, (5 + LIMIT_S) * SECOND);
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.at[0].from_state, 0);
	assert_int_equal(changes.at[0].number, 1);
	assert_int_equal(changes.at[0].who, RUN_WHO_USER);
	assert_int_equal(changes.at[0].user_id, USER);
}

static void test_who(void **state)
{
	static const struct {
		enum event event;
		enum run_state from;
		enum run_who who;
		int32_t writer;
		int64_t user_id;
	} cases[] = {
		{ JOIN_WORKER, RUN_FAILED, RUN_WHO_WRITER, WORKER, 0 },
		{ HEAR, RUN_CRASHED, RUN_WHO_WRITER, WORKER, 0 },
		{ FINISH_PRIMARY, RUN_RUNNING, RUN_WHO_WRITER, PRIMARY, 0 },
		{ SWEEP_LATE, RUN_RUNNING, RUN_WHO_SWEEPER, -1, 0 },
		{ SET_KILLED, RUN_RUNNING, RUN_WHO_USER, -1, USER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_scene s;

		begin(&s, cases[i].from);
		happen(&s, cases[i].event);
		assert_int_equal(s.changes.count, 1);
		assert_int_equal(s.changes.at[0].who, cases[i].who);
		assert_int_equal(s.changes.at[0].writer, cases[i].writer);
		assert_int_equal(s.changes.at[0].user_id, cases[i].user_id);
		run_scene_end(&s);
	}
}

/* ---- joins ---------------------------------------------------------------------------------------- */

static void test_join_again_fences(void **state)
{
	struct run_scene s;
	struct writer *w = &s.writers[PRIMARY];

	(void)state;
	begin(&s, RUN_RUNNING);
	w->batch = 7;
	w->recent = STR("what was told");
	run_scene_finish(&s, PRIMARY, 3);
	run_scene_join(&s, PRIMARY);
	assert_int_equal(w->session, 2);
	assert_int_equal(w->batch, 0);
	assert_int_equal(w->recent.len, 0);
	assert_int_equal(w->state, WRITER_ALIVE);
	assert_false(w->has_exit_code);
	assert_int_equal(w->ended_at.us, 0);
	assert_int_equal(w->attempt, 2);
	assert_int_equal(s.run.fallback_state, RUN_FAILED);
	run_scene_end(&s);
}

/* A primary with the label of a lost one takes its place; of one that lives, or a worker, it does not. */
static void test_join_replaces(void **state)
{
	static const struct {
		enum writer_role joins;
		const char *label;
		int64_t heard_s;
		enum writer_state becomes;
	} cases[] = {
		{ WRITER_PRIMARY, "rank0", NOW_S - LIMIT_S, WRITER_REPLACED },
		{ WRITER_PRIMARY, "rank0", NOW_S - LIMIT_S + 1, WRITER_ALIVE },
		{ WRITER_PRIMARY, "other", NOW_S - LIMIT_S, WRITER_ALIVE },
		{ WRITER_WORKER, "rank0", NOW_S - LIMIT_S, WRITER_ALIVE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_scene s;

		begin(&s, RUN_RUNNING);
		s.writers[PRIMARY].heard_at.us = cases[i].heard_s * SECOND;
		s.writers[2] = run_scene_writer(2, cases[i].joins, cases[i].label);
		run_scene_join(&s, 2);
		if (s.writers[PRIMARY].state != (int16_t)cases[i].becomes)
			fail_msg("case %zu: state %d", i, s.writers[PRIMARY].state);
		assert_int_equal(s.writers[2].state, WRITER_ALIVE);
		run_scene_end(&s);
	}
}

static void test_a_worker_is_not_replaced(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	s.writers[WORKER].heard_at.us = 0;
	s.writers[2] = run_scene_writer(2, WRITER_PRIMARY, "rank1");
	run_scene_join(&s, 2);
	assert_int_equal(s.writers[WORKER].state, WRITER_ALIVE);
	run_scene_end(&s);
}

/* ---- ends ----------------------------------------------------------------------------------------- */

static void test_a_worker_may_not_decide(void **state)
{
	static const enum writer_role roles[] = { WRITER_WORKER, WRITER_HAND };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct run_finish how = { .state = RUN_FINISHED };
		struct run_scene s;
		struct run before;
		err_t e;

		begin(&s, RUN_RUNNING);
		s.writers[WORKER].role = (int16_t)roles[i];
		before = s.run;
		e = run_finish(s.a, &s.run, s.writers, 2, WORKER, &how, s.clock, &s.changes);
		assert_non_null(e);
		assert_int_equal(e->kind, ERR_FORBIDDEN);
		assert_string_equal(e->type, "worker-may-not-decide");
		assert_memory_equal(&before, &s.run, sizeof(before));
		assert_int_equal(s.writers[WORKER].state, WRITER_ALIVE);
		run_scene_end(&s);
	}
}

static void test_a_second_finish_changes_nothing(void **state)
{
	struct run_scene s;
	struct run before;

	(void)state;
	begin(&s, RUN_RUNNING);
	run_scene_finish(&s, PRIMARY, 0);
	before = s.run;
	run_scene_at(&s, NOW_S + 1);
	run_scene_finish(&s, PRIMARY, 9);
	assert_memory_equal(&before, &s.run, sizeof(before));
	assert_int_equal(s.writers[PRIMARY].exit_code, 0);
	assert_int_equal(s.changes.count, 1);
	run_scene_end(&s);
}

/* Several processes are one writer, which ends with the last of them and the worst code of them. */
static void test_one_of_several_processes_ends(void **state)
{
	const int64_t ends_at[] = { 950, 960, 970 };
	const int32_t codes[] = { 0, 3, 0 };
	struct run_finish how = { .exit_code = 0 };
	struct run_scene s;

	(void)state;
	run_scene_begin_joined(&s);
	for (size_t i = 0; i < 3; i++) {
		run_scene_at(&s, ends_at[i]);
		how.exit_code = codes[i];
		how.others_heard_at.us = i < 2 ? (ends_at[i] - 20) * SECOND : 0;
		assert_int_equal(s.run.state, RUN_RUNNING);
		assert_null(
			run_finish(s.a, &s.run, s.writers, 2, PRIMARY, &how, s.clock, &s.changes));
		assert_int_equal(s.writers[PRIMARY].state, i < 2 ? WRITER_ALIVE : WRITER_ENDED);
		assert_int_equal(s.run.end_pending, i < 2);
	}
	assert_int_equal(s.run.state, RUN_FAILED);
	assert_int_equal(s.run.exit_code, 3);
	run_scene_end(&s);
}

/* The others are not heard again: what ended decides, when they are lost. */
static void test_the_other_processes_are_lost(void **state)
{
	const struct run_finish how = { .others_heard_at = { 930 * SECOND } };
	struct run_scene s;

	(void)state;
	run_scene_begin_joined(&s);
	run_scene_at(&s, 950);
	assert_null(run_finish(s.a, &s.run, s.writers, 2, PRIMARY, &how, s.clock, &s.changes));
	assert_int_equal(s.run.look_at.us, (930 + LIMIT_S) * SECOND);
	run_scene_at(&s, 930 + LIMIT_S);
	run_sweep(&s.run, s.writers, 2, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_FINISHED);
	run_scene_end(&s);
}

static void test_the_parents_finish_ends_its_children(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	s.writers[WORKER].parent = STR("rank0");
	run_scene_finish(&s, PRIMARY, 0);
	assert_int_equal(s.writers[WORKER].state, WRITER_ORPHANED);
	assert_int_equal(s.writers[WORKER].ended_at.us, NOW_S * SECOND);
	assert_string_equal(writer_state_shown(&s.writers[WORKER],
					       (struct writer_run){ false, { 0 } }, s.clock.now,
					       s.clock.limit_us),
			    "ended");
	run_scene_end(&s);
}

static err_t give_up(struct run_scene *s, int which)
{
	const struct run_hand hand = { .user_id = USER, .reason = "gone" };

	return run_give_up(s->a, &s->run, s->writers, WRITERS - 1, (size_t)which, &hand, s->clock,
			   &s->changes);
}

/* Who is heard is not given up; a worker that is leaves the run as it is, until it is heard again. */
static void test_a_lost_writer_is_given_up(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	assert_string_equal(give_up(&s, WORKER)->type, "writer-alive");
	run_scene_at(&s, NOW_S + LIMIT_S);
	run_scene_hear(&s, PRIMARY);
	assert_null(give_up(&s, WORKER));
	assert_int_equal(s.writers[WORKER].state, WRITER_GIVEN_UP);
	assert_int_equal(s.changes.count, 1);
	assert_int_equal(s.changes.at[0].user_id, USER);
	assert_int_equal(s.changes.at[0].writer, WORKER);
	assert_null(give_up(&s, WORKER));
	assert_int_equal(s.changes.count, 1);
	run_scene_hear(&s, WORKER);
	assert_int_equal(s.writers[WORKER].state, WRITER_ALIVE);
	assert_int_equal(s.writers[WORKER].ended_at.us, 0);
	run_scene_end(&s);
}

static void test_a_primary_that_is_given_up_has_failed(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	run_scene_at(&s, NOW_S + LIMIT_S);
	run_scene_hear(&s, WORKER);
	assert_null(give_up(&s, PRIMARY));
	assert_int_equal(s.run.state, RUN_FAILED);
	assert_false(s.run.has_exit_code);
	run_scene_hear(&s, PRIMARY);
	assert_int_equal(s.run.state, RUN_FAILED);
	run_scene_end(&s);
}

/* An end that waits for others is not put off by those who are heard. */
static void test_end_pending_keeps_its_time(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	s.writers[WORKER].role = WRITER_PRIMARY;
	run_scene_finish(&s, PRIMARY, 0);
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_true(s.run.end_pending);
	assert_int_equal(s.run.look_at.us, (900 + LIMIT_S) * SECOND);
	run_scene_at(&s, NOW_S + 100);
	run_scene_hear(&s, WORKER);
	assert_int_equal(s.run.look_at.us, (900 + LIMIT_S) * SECOND);
	run_scene_at(&s, 900 + LIMIT_S);
	run_sweep(&s.run, s.writers, 2, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_RUNNING);
	assert_int_equal(s.run.look_at.us, (NOW_S + 100 + LIMIT_S) * SECOND);
	run_scene_at(&s, NOW_S + 100 + LIMIT_S);
	run_sweep(&s.run, s.writers, 2, s.clock, &s.changes);
	assert_int_equal(s.run.state, RUN_FINISHED);
	assert_false(s.run.end_pending);
	run_scene_end(&s);
}

/* ---- what an attempt begins with ------------------------------------------------------------------- */

static void test_an_attempt_begins_clean(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_RUNNING);
	s.run.stop_asked_at.us = 5;
	s.run.stop_reason = STR("enough");
	run_scene_finish(&s, PRIMARY, 1);
	assert_true(s.run.has_exit_code);
	run_scene_at(&s, 2000);
	run_scene_join(&s, WORKER);
	assert_int_equal(s.run.stop_asked_at.us, 0);
	assert_int_equal(s.run.stop_reason.len, 0);
	assert_int_equal(s.run.started_at.us, 2000 * SECOND);
	assert_int_equal(s.run.ended_at.us, 0);
	assert_int_equal(s.run.look_at.us, (2000 + LIMIT_S) * SECOND);
	assert_int_equal(s.run.fallback_state, RUN_FAILED);
	run_scene_finish(&s, WORKER, 0);
	assert_int_equal(s.run.state, RUN_FAILED);
	assert_int_equal(s.run.exit_code, 1);
	run_scene_end(&s);
}

/* Batches are counted from 0 again. Console lines may be, too: the first of them shows it. */
static void test_a_join_begins_a_session(void **state)
{
	struct run_scene s;
	struct writer *w = &s.writers[WORKER];

	(void)state;
	run_scene_begin_joined(&s);
	assert_int_equal(w->session, 1);
	assert_int_equal(w->console_shift, -1);
	w->batch = 7;
	w->recent = STR("remembered");
	w->console_lines = 30;
	run_scene_join(&s, WORKER);
	assert_int_equal(w->session, 2);
	assert_int_equal(w->batch, 0);
	assert_int_equal(w->recent.len, 0);
	assert_int_equal(w->console_shift, -31);
	run_scene_end(&s);
}

/* A crash is no end to fall back to. */
static void test_a_crash_is_forgotten(void **state)
{
	struct run_scene s;

	(void)state;
	begin(&s, RUN_CRASHED);
	run_scene_join(&s, WORKER);
	assert_int_equal(s.run.fallback_state, 0);
	assert_false(s.run.has_exit_code);
	run_scene_finish(&s, WORKER, 0);
	assert_int_equal(s.run.state, RUN_RUNNING);
	run_scene_end(&s);
}

static void test_who_may_be_moved(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (int one = RUN_RUNNING; one <= RUN_PREEMPTED; one++) {
		const struct run run = { .state = (int16_t)one };
		bool may = one == RUN_FINISHED || one == RUN_FAILED || one == RUN_CRASHED ||
			   one == RUN_KILLED;
		err_t e = run_may_be_moved(a, &run, false);

		assert_int_equal(may, !e);
		assert_true(may || (e->kind == ERR_CONFLICT && e->hint));
		assert_int_equal(run_may_be_moved(a, &run, true)->kind, ERR_CONFLICT);
	}
	arena_free(a);
}

static void test_names(void **state)
{
	enum run_state read;

	(void)state;
	for (int i = RUN_RUNNING; i <= RUN_KILLED; i++) {
		assert_true(run_state_parse(str_of(run_state_name(i)), &read));
		assert_int_equal(read, i);
	}
	assert_false(run_state_parse(STR("none"), &read));
	assert_false(run_state_parse(STR(""), &read));
	assert_string_equal(run_state_name(0), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_state_and_event),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_who),
		cmocka_unit_test(test_join_again_fences),
		cmocka_unit_test(test_join_replaces),
		cmocka_unit_test(test_a_worker_is_not_replaced),
		cmocka_unit_test(test_a_worker_may_not_decide),
		cmocka_unit_test(test_a_second_finish_changes_nothing),
		cmocka_unit_test(test_one_of_several_processes_ends),
		cmocka_unit_test(test_the_other_processes_are_lost),
		cmocka_unit_test(test_the_parents_finish_ends_its_children),
		cmocka_unit_test(test_a_lost_writer_is_given_up),
		cmocka_unit_test(test_a_primary_that_is_given_up_has_failed),
		cmocka_unit_test(test_end_pending_keeps_its_time),
		cmocka_unit_test(test_an_attempt_begins_clean),
		cmocka_unit_test(test_a_join_begins_a_session),
		cmocka_unit_test(test_a_crash_is_forgotten),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_who_may_be_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
