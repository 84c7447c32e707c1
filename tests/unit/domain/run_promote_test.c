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
#include "run.h"

#define SECOND INT64_C(1000000)
enum { NOW_S = 1000, LIMIT_S = 300, PRIMARY = 0, WORKER = 1, WRITERS = 2 };

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

static void scene_begin(struct scene *s)
{
	*s = (struct scene){ .a = arena_new(1024), .clock.limit_us = LIMIT_S * SECOND };
	s->clock.now.us = 900 * SECOND;
	run_make(&s->run, s->clock, 1, &s->changes);
	s->writers[PRIMARY] = new_writer(0, WRITER_PRIMARY, "rank0");
	s->writers[WORKER] = new_writer(1, WRITER_WORKER, "rank1");
	join(s, PRIMARY);
	join(s, WORKER);
	s->clock.now.us = NOW_S * SECOND;
	s->changes.count = 0;
}

static void scene_end(struct scene *s)
{
	arena_free(s->a);
}

static void promote(struct scene *s, int which)
{
	run_promote(&s->run, &s->writers[which], s->writers, WRITERS, s->clock, &s->changes);
}

static void finish(struct scene *s, int which, int32_t exit_code)
{
	const struct run_finish how = { .exit_code = exit_code };

	assert_null(run_finish(s->a, &s->run, s->writers, WRITERS, (size_t)which, &how, s->clock,
			       &s->changes));
}

/* Events of the primary P and the worker W, in order; small letters are W's. */
static void play(struct scene *s, const char *events)
{
	for (; *events; events++) {
		switch (*events) {
		case 'F':
			finish(s, PRIMARY, 0);
			break;
		case 'f':
			finish(s, WORKER, 3);
			break;
		case 'p':
			promote(s, WORKER);
			break;
		case 'j':
			join(s, WORKER);
			break;
		case 'L': /* is silent from then on, while W is not */
			s->clock.now.us += LIMIT_S * SECOND;
			run_hear(&s->run, &s->writers[WORKER], s->clock, &s->changes);
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
		/* a decided end stands */
		{ "Fp", RUN_FINISHED, false, 0 },
		{ "Fpf", RUN_FINISHED, false, 0 },
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
		struct scene s;

		scene_begin(&s);
		play(&s, cases[i].events);
		if (s.run.state != (int16_t)cases[i].becomes ||
		    s.run.end_pending != cases[i].end_pending ||
		    (run_has_ended(&s.run) && s.run.exit_code != cases[i].exit_code))
			fail_msg("%s: %s, %d, %d", cases[i].events, run_state_name(s.run.state),
				 s.run.end_pending, s.run.exit_code);
		scene_end(&s);
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
		struct scene s;
		struct writer *w = &s.writers[WORKER];

		scene_begin(&s);
		s.writers[PRIMARY].heard_at.us = cases[i].heard_s * SECOND;
		w->role = (int16_t)cases[i].role;
		w->label = str_of(cases[i].label);
		promote(&s, WORKER);
		if (cases[i].learnt)
			run_label(w, str_of(cases[i].learnt), s.writers, WRITERS, s.clock);
		if (s.writers[PRIMARY].state != (int16_t)cases[i].becomes ||
		    w->role != (int16_t)cases[i].in_the_end)
			fail_msg("case %zu: %d", i, s.writers[PRIMARY].state);
		assert_int_equal(w->state, WRITER_ALIVE);
		scene_end(&s);
	}
}

/* Of a worker nothing is replaced, whatever its label. */
static void test_a_workers_label_replaces_nobody(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.writers[PRIMARY].heard_at.us = 0;
	run_label(&s.writers[WORKER], STR("rank0"), s.writers, WRITERS, s.clock);
	assert_int_equal(s.writers[PRIMARY].state, WRITER_ALIVE);
	assert_true(str_is(s.writers[WORKER].label, "rank0"));
	scene_end(&s);
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
