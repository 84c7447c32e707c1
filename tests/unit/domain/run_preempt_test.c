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
#include "run_scene.h"

/* One letter an event: see the cases. */
static void play_one(struct run_scene *s, char event)
{
	switch (event) {
	case 'j':
		run_scene_join(s, WORKER);
		break;
	case 'J':
		run_scene_join(s, PRIMARY);
		break;
	case 'p':
		run_preempt(&s->run, &s->writers[PRIMARY], &s->changes);
		break;
	case 'h':
		run_scene_hear(s, PRIMARY);
		break;
	case 'f':
		run_scene_finish(s, PRIMARY, 0);
		break;
	case 'F':
		run_scene_finish(s, PRIMARY, 1);
		break;
	case 's':
		s->clock.now.us += (LIMIT_S + 1) * SECOND;
		run_sweep(&s->run, s->writers, WRITERS, s->clock, &s->changes);
		break;
	case 'r':
		run_resume(&s->run, USER, s->clock, &s->changes);
		break;
	case 'w':
		run_scene_override(s, RUN_PENDING);
		break;
	default:
		assert_int_equal(event, 'k');
		run_scene_override(s, RUN_KILLED);
	}
}

static const char *play(struct run_scene *s, const char *events)
{
	run_scene_begin(s);
	if (*events == '*')
		run_make_pending(&s->run, s->clock, USER, &s->changes);
	else
		run_make(&s->run, s->clock, USER, &s->changes);
	for (events += *events == '*'; *events; events++) {
		s->changes.count = 0;
		play_one(s, *events);
	}
	run_scene_end(s);
	return run_state_name(s->run.state);
}

static void states(void **state)
{
	static const struct {
		const char *events, *state;
		int32_t attempt;
	} cases[] = {
		{ "Jp", "preempting", 1 },  { "Jpp", "preempting", 1 }, { "Jph", "preempting", 1 },
		{ "Jpf", "finished", 1 },   { "JpF", "preempted", 1 },  { "JF", "failed", 1 },
		{ "Jps", "preempted", 1 },  { "Js", "crashed", 1 },     { "Jpsh", "running", 2 },
		{ "JpFJ", "running", 2 },   { "JpFj", "running", 2 },   { "JpFh", "running", 2 },
		{ "JpJ", "running", 2 },    { "Jpk", "killed", 1 },     { "Jfp", "finished", 1 },
		{ "Jsp", "crashed", 1 },    { "*", "pending", 0 },      { "*h", "pending", 0 },
		{ "*s", "pending", 0 },     { "*p", "pending", 0 },     { "*J", "running", 1 },
		{ "*j", "running", 1 },     { "*k", "killed", 0 },      { "*Jf", "finished", 1 },
		{ "Jw", "pending", 1 },     { "Jwh", "pending", 1 },    { "Jws", "pending", 1 },
		{ "JwJ", "running", 2 },    { "JFw", "pending", 1 },    { "JFwJ", "running", 2 },
		{ "JpFw", "pending", 1 },   { "Jwf", "pending", 1 },    { "Jr", "running", 1 },
		{ "Jpr", "preempting", 1 }, { "Jfr", "running", 2 },    { "JfrJ", "running", 2 },
		{ "JFrs", "crashed", 2 },   { "*r", "running", 1 },     { "JwrJf", "finished", 2 },
	};
	struct run_scene s;

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
	struct run_scene s;

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
	struct run_scene s;

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
