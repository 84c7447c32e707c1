/*
 * A worker turns out to be a primary, before and after anything else that may happen to it and to the
 * primary beside it. The clock stands at 1000 s, the limit is 300 s, both were heard at 900 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "run_scene.h"

/* Events of the primary P and the worker W, in order; small letters are W's. */
static void play(struct run_scene *s, const char *events)
{
	for (; *events; events++) {
		switch (*events) {
		case 'F':
			run_scene_finish(s, PRIMARY, 0);
			break;
		case 'f':
			run_scene_finish(s, WORKER, 3);
			break;
		case 'p':
			run_scene_promote(s, WORKER);
			break;
		case 'j':
			run_scene_join(s, WORKER);
			break;
		case 'l': /* both are, and nobody joined since */
			s->clock.now.us += LIMIT_S * SECOND;
			run_sweep(&s->run, s->writers, WRITERS, s->clock, &s->changes);
			break;
		case 'H': /* a person decides */
			run_override(&s->run, RUN_KILLED, 1, "by hand", s->clock, &s->changes);
			break;
		case 'L': /* is silent from then on, while W is not */
			s->clock.now.us += LIMIT_S * SECOND;
			run_scene_hear(s, WORKER);
			break;
		default:
			fail();
		}
	}
}

static void test_promoted(void **state)
{
	static const struct {
		const char *events;
		enum run_state becomes;
		bool end_pending;
		int32_t exit_code;
	} cases[] = {
		{ "p", RUN_RUNNING, false, 0 },
		/* whoever ends first, the other is awaited, and the worst of the codes counts */
		{ "pF", RUN_RUNNING, true, 0 },
		{ "pf", RUN_RUNNING, true, 0 },
		{ "pFf", RUN_FAILED, false, 3 },
		{ "pfF", RUN_FAILED, false, 3 },
		/* it had ended before it was known for what it is */
		{ "fp", RUN_RUNNING, true, 0 },
		{ "fpF", RUN_FAILED, false, 3 },
		{ "fFp", RUN_FINISHED, false, 0 },
		/* an end that was decided without it is taken back, and it decides with the others */
		{ "Fp", RUN_RUNNING, true, 0 },
		{ "Fpf", RUN_FAILED, false, 3 },
		{ "Fpl", RUN_FINISHED, false, 0 },
		/* but not when it is gone, or for a person's decision */
		{ "Flp", RUN_FINISHED, false, 0 },
		{ "Ffp", RUN_FINISHED, false, 0 },
		{ "Hp", RUN_KILLED, false, 0 },
		{ "FHp", RUN_KILLED, false, 0 },
		/* the other one is lost */
		{ "Lpf", RUN_FAILED, false, 3 },
		{ "Lfp", RUN_FAILED, false, 3 },
		/* it came back to a run that had ended: there is no way back to that end */
		{ "Fjf", RUN_FINISHED, false, 0 },
		{ "Fjpf", RUN_FAILED, false, 3 },
		{ "Fjp", RUN_RUNNING, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_scene s;

		run_scene_begin_joined(&s);
		play(&s, cases[i].events);
		if (s.run.state != (int16_t)cases[i].becomes ||
		    s.run.end_pending != cases[i].end_pending ||
		    (run_has_ended(&s.run) && s.run.exit_code != cases[i].exit_code))
			fail_msg("%s: %s, %d, %d", cases[i].events, run_state_name(s.run.state),
				 s.run.end_pending, s.run.exit_code);
		run_scene_end(&s);
	}
}

/* Whichever comes last, label or evidence, the lost one of that label is replaced. */
static void test_promoted_replaces(void **state)
{
	static const struct {
		const char *label; /* of W, before it is learnt */
		const char *learnt;
		int64_t heard_s; /* P */
		enum writer_role role;
		enum writer_state becomes;
		enum writer_role in_the_end;
	} cases[] = {
		{ "rank0", NULL, 700, WRITER_WORKER, WRITER_REPLACED, WRITER_PRIMARY },
		{ "rank0", NULL, 701, WRITER_WORKER, WRITER_ALIVE, WRITER_PRIMARY },
		{ "made", NULL, 700, WRITER_WORKER, WRITER_ALIVE, WRITER_PRIMARY },
		{ "made", "rank0", 700, WRITER_WORKER, WRITER_REPLACED, WRITER_PRIMARY },
		{ "made", "rank0", 701, WRITER_WORKER, WRITER_ALIVE, WRITER_PRIMARY },
		{ "made", "rank1", 700, WRITER_WORKER, WRITER_ALIVE, WRITER_PRIMARY },
		{ "rank0", NULL, 700, WRITER_HAND, WRITER_ALIVE, WRITER_HAND },
		{ "made", "rank0", 700, WRITER_HAND, WRITER_ALIVE, WRITER_HAND },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_scene s;
		struct writer *w = &s.writers[WORKER];

		run_scene_begin_joined(&s);
		s.writers[PRIMARY].heard_at.us = cases[i].heard_s * SECOND;
		w->role = (int16_t)cases[i].role;
		w->label = str_of(cases[i].label);
		run_scene_promote(&s, WORKER);
		if (cases[i].learnt)
			run_label(w, str_of(cases[i].learnt), s.writers, WRITERS, s.clock);
		if (s.writers[PRIMARY].state != (int16_t)cases[i].becomes ||
		    w->role != (int16_t)cases[i].in_the_end)
			fail_msg("case %zu: %d", i, s.writers[PRIMARY].state);
		assert_int_equal(w->state, WRITER_ALIVE);
		run_scene_end(&s);
	}
}

/* Of a worker nothing is replaced, whatever its label. */
static void test_a_workers_label_replaces_nobody(void **state)
{
	struct run_scene s;

	(void)state;
	run_scene_begin_joined(&s);
	s.writers[PRIMARY].heard_at.us = 0;
	run_label(&s.writers[WORKER], STR("rank0"), s.writers, WRITERS, s.clock);
	assert_int_equal(s.writers[PRIMARY].state, WRITER_ALIVE);
	assert_true(str_is(s.writers[WORKER].label, "rank0"));
	run_scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_promoted),
		cmocka_unit_test(test_promoted_replaces),
		cmocka_unit_test(test_a_workers_label_replaces_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
