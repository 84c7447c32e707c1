/* What people do to a run by hand: its end, and the wish that it stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "run.h"

#define SECOND INT64_C(1000000)
enum { USER = 12, NO_CODE = 1000 };

static const struct run_clock begun = { { 100 * SECOND }, 300 * SECOND };
static const struct run_clock later = { { 200 * SECOND }, 300 * SECOND };

static struct run new_run(enum run_state state)
{
	struct run_changes ignored = { .count = 0 };
	struct run run = { .run_id = 1 };

	run_make(&run, begun, USER, &ignored);
	run_override(&run, state, USER, "so", begun, &ignored);
	return run;
}

static void an_end_is_what_was_said_else_what_the_exit_code_means(void **state)
{
	static const struct {
		enum run_state before;
		int said;
		int exit_code;
		enum run_state after;
		int changes;
	} cases[] = {
		{ RUN_RUNNING, 0, 0, RUN_FINISHED, 1 },
		{ RUN_RUNNING, 0, 3, RUN_FAILED, 1 },
		{ RUN_RUNNING, 0, -9, RUN_FAILED, 1 },
		{ RUN_RUNNING, RUN_FINISHED, NO_CODE, RUN_FINISHED, 1 },
		{ RUN_RUNNING, RUN_FINISHED, 3, RUN_FINISHED, 1 },
		{ RUN_RUNNING, RUN_KILLED, NO_CODE, RUN_KILLED, 1 },
		{ RUN_CRASHED, RUN_FAILED, NO_CODE, RUN_FAILED, 1 },
		{ RUN_FINISHED, RUN_FINISHED, NO_CODE, RUN_FINISHED, 0 },
		{ RUN_FAILED, 0, 7, RUN_FAILED, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool has_code = cases[i].exit_code != NO_CODE;
		struct run run = new_run(cases[i].before);
		struct run_changes changes = { .count = 0 };
		struct run_hand hand = {
			.finish = { has_code ? cases[i].exit_code : 0, (int16_t)cases[i].said },
			.has_exit_code = has_code,
			.user_id = USER,
			.reason = "enough",
		};

		run_finish_by_hand(&run, &hand, later, &changes);
		assert_int_equal(run.state, cases[i].after);
		assert_int_equal(changes.count, cases[i].changes);
		assert_int_equal(run.has_exit_code, has_code && cases[i].changes);
		if (run.has_exit_code)
			assert_int_equal(run.exit_code, cases[i].exit_code);
	}
}

static void the_first_who_asks_to_stop_is_remembered(void **state)
{
	struct arena *a = arena_new(1024);
	struct run run = new_run(RUN_RUNNING);

	(void)state;
	assert_null(run_ask_stop(a, &run, STR("diverges"), begun.now));
	assert_null(run_ask_stop(a, &run, STR("too"), later.now));
	assert_int_equal(run.stop_asked_at.us, begun.now.us);
	assert_true(str_is(run.stop_reason, "diverges"));
	arena_free(a);
}

static void what_has_ended_is_not_asked_to_stop(void **state)
{
	static const enum run_state ended[] = { RUN_FINISHED, RUN_FAILED, RUN_CRASHED, RUN_KILLED };
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(ended) / sizeof(ended[0]); i++) {
		struct run run = new_run(ended[i]);
		err_t e = run_ask_stop(a, &run, STR("x"), later.now);

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_CONFLICT);
		assert_non_null(strstr(e->message, run_state_name(run.state)));
		assert_int_equal(run.stop_asked_at.us, 0);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_is_what_was_said_else_what_the_exit_code_means),
		cmocka_unit_test(the_first_who_asks_to_stop_is_remembered),
		cmocka_unit_test(what_has_ended_is_not_asked_to_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
