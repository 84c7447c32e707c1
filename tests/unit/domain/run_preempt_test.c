/*
 * Runs that are about to be preempted, that were, and that wait to begin: what each event makes of them. The
 * limit is 300 s; P is a primary that joined, W a worker.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "run.h"

#define SECOND INT64_C(1000000)
enum { LIMIT_S = 300, PRIMARY = 0, WORKER = 1, WRITERS = 2 };

struct scene {
	struct arena *a;
	struct run run;
	struct writer writers[WRITERS];
	struct run_changes changes;
	struct run_clock clock;
};

static struct writer new_writer(int32_t number, enum writer_role role, const char *label)
{
	return (struct writer){
		.writer = number,
		.client = str_of(label),
		.label = str_of(label),
		.role = (int16_t)role,
		.last_step = -1,
	};
}

static void join(struct scene *s, int which)
{
	run_join(&s->run, &s->writers[which], s->writers, WRITERS, s->clock, &s->changes);
}

static void finish(struct scene *s, int32_t exit_code)
{
	const struct run_finish how = { .exit_code = exit_code };

	assert_null(run_finish(s->a, &s->run, s->writers, WRITERS, PRIMARY, &how, s->clock,
			       &s->changes));
}

static void override(struct scene *s, enum run_state state)
{
	run_override(&s->run, state, 1, "by hand", s->clock, &s->changes);
}

/* One letter an event: see the cases. */
static void play_one(struct scene *s, char event)
{
	switch (event) {
	case 'j':
		join(s, WORKER);
		break;
	case 'J':
		join(s, PRIMARY);
		break;
	case 'p':
		run_preempt(&s->run, &s->writers[PRIMARY], &s->changes);
		break;
	case 'h':
		run_hear(&s->run, &s->writers[PRIMARY], s->clock, &s->changes);
		break;
	case 'f':
		finish(s, 0);
		break;
	case 'F':
		finish(s, 1);
		break;
	case 's':
		s->clock.now.us += (LIMIT_S + 1) * SECOND;
		run_sweep(&s->run, s->writers, WRITERS, s->clock, &s->changes);
		break;
	case 'w':
		override(s, RUN_PENDING);
		break;
	default:
		assert_int_equal(event, 'k');
		override(s, RUN_KILLED);
	}
}

static const char *play(struct scene *s, const char *events)
{
	*s = (struct scene){ .a = arena_new(1024), .clock.limit_us = LIMIT_S * SECOND };
	s->clock.now.us = 1000 * SECOND;
	s->writers[PRIMARY] = new_writer(0, WRITER_PRIMARY, "rank0");
	s->writers[WORKER] = new_writer(1, WRITER_WORKER, "rank1");
	if (*events == '*')
		run_make_pending(&s->run, s->clock, 1, &s->changes);
	else
		run_make(&s->run, s->clock, 1, &s->changes);
	for (events += *events == '*'; *events; events++) {
		s->changes.count = 0;
		play_one(s, *events);
	}
	arena_free(s->a);
	return run_state_name(s->run.state);
}

static void states(void **state)
{
	static const struct {
		const char *events, *state;
		int32_t attempt;
	} cases[] = {
		{ "Jp", "preempting", 1 }, { "Jpp", "preempting", 1 }, { "Jph", "preempting", 1 },
		{ "Jpf", "finished", 1 },  { "JpF", "preempted", 1 },  { "JF", "failed", 1 },
		{ "Jps", "preempted", 1 }, { "Js", "crashed", 1 },     { "Jpsh", "running", 2 },
		{ "JpFJ", "running", 2 },  { "JpFj", "running", 2 },   { "JpFh", "running", 2 },
		{ "JpJ", "running", 2 },   { "Jpk", "killed", 1 },     { "Jfp", "finished", 1 },
		{ "Jsp", "crashed", 1 },   { "*", "pending", 0 },      { "*h", "pending", 0 },
		{ "*s", "pending", 0 },    { "*p", "pending", 0 },     { "*J", "running", 1 },
		{ "*j", "running", 1 },    { "*k", "killed", 0 },      { "*Jf", "finished", 1 },
		{ "Jw", "pending", 1 },    { "Jwh", "pending", 1 },    { "Jws", "pending", 1 },
		{ "JwJ", "running", 2 },   { "JFw", "pending", 1 },    { "JFwJ", "running", 2 },
		{ "JpFw", "pending", 1 },  { "Jwf", "pending", 1 },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *is = play(&s, cases[i].events);

		if (strcmp(is, cases[i].state) != 0 || s.run.attempt != cases[i].attempt)
			fail_msg("%s: %s in attempt %d", cases[i].events, is, s.run.attempt);
	}
}

/* Workers that come late to it have no end to fall back to. */
static void no_end_comes_back(void **state)
{
	struct scene s;

	(void)state;
	play(&s, "JpFj");
	assert_int_equal(s.run.fallback_state, 0);
	play(&s, "*j");
	assert_int_equal(s.run.fallback_state, 0);
	play(&s, "JFj");
	assert_int_equal(s.run.fallback_state, RUN_FAILED);
}

static void who_may_be_put(void **state)
{
	static const struct {
		const char *events;
		bool pending, failed;
	} cases[] = {
		{ "J", true, true },    { "Jp", true, true },   { "JF", true, false },
		{ "Js", true, false },  { "JpF", true, false }, { "Jf", false, false },
		{ "Jk", false, false }, { "*", false, true },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		play(&s, cases[i].events);
		assert_int_equal(run_may_be_put(&s.run, RUN_PENDING), cases[i].pending);
		assert_int_equal(run_may_be_put(&s.run, RUN_FAILED), cases[i].failed);
		assert_false(run_may_be_put(&s.run, RUN_FINISHED));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(no_end_comes_back),
		cmocka_unit_test(who_may_be_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
