/* What is deleted and when: by a person, by a rule of the project; what comes back; who may make new runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "quota.h"
#include "retention.h"

#define SECOND INT64_C(1000000)
#define DAY (24 * 3600 * SECOND)

static const struct project some_days = {
	.keep_finished_days = 30,
	.keep_failed_days = 0,
	.keep_crashed_days = 7,
	.keep_killed_days = 1,
};

static void a_run_is_over_by_how_and_when_it_ended(void **state)
{
	static const struct {
		int16_t state;
		int64_t age_us;
		const char *tags;
		bool over;
	} cases[] = {
		{ RUN_RUNNING, 1000 * DAY, "[]", false },
		{ RUN_FINISHED, 30 * DAY - 1, "[]", false },
		{ RUN_FINISHED, 30 * DAY, "[]", true },
		{ RUN_FAILED, 1000 * DAY, "[]", false },
		{ RUN_CRASHED, 8 * DAY, "[]", true },
		{ RUN_CRASHED, 6 * DAY, "[]", false },
		{ RUN_KILLED, DAY, "[\"a\", \"b\"]", true },
		{ RUN_KILLED, DAY, "[\"keep\"]", false },
		{ RUN_KILLED, DAY, "[\"a\", \"keep\"]", false },
		{ RUN_KILLED, DAY, "[\"keeper\", \"to keep\", \"KEEP\"]", true },
		{ RUN_KILLED, DAY, "[\"\\\"keep\\\"\"]", true },
	};
	timestamp_us now = { 5000 * DAY };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run run = { .state = cases[i].state };

		if (run_has_ended(&run))
			run.ended_at.us = now.us - cases[i].age_us;
		if (retention_is_over(&some_days, &run, str_of(cases[i].tags), now) !=
		    cases[i].over)
			fail_msg("case %zu", i);
		run.deleted_at = now;
		assert_false(retention_is_over(&some_days, &run, str_of(cases[i].tags), now));
	}
}

static void it_says_why(void **state)
{
	struct arena *a = arena_new(256);
	struct run run = { .state = RUN_CRASHED };

	(void)state;
	assert_string_equal(retention_reason(a, &some_days, &run),
			    "retention: crashed runs are kept for 7 days");
	run.state = RUN_KILLED;
	assert_string_equal(retention_reason(a, &some_days, &run),
			    "retention: killed runs are kept for 1 day");
	arena_free(a);
}

static void a_deleted_run_comes_back_until_its_time_is_over(void **state)
{
	static const struct {
		int64_t after_us;
		bool purging;
		bool back;
	} cases[] = {
		{ 0, false, true }, { DAY - 1, false, true }, { DAY, false, false },
		{ 0, true, false }, { -DAY, true, false },
	};
	struct run_deletion deletion = { RUN_WHO_USER, 7, "deleted", { 11 * DAY } };
	struct arena *a = arena_new(256);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		timestamp_us now = { 10 * DAY + cases[i].after_us };
		struct run run = { .state = RUN_FAILED, .next_state = 3 };
		struct run_changes changes = { .count = 0 };
		err_t e;

		run_delete(&run, &deletion, (timestamp_us){ 10 * DAY }, &changes);
		run.purging = cases[i].purging;
		assert_int_equal(run_may_be_purged(&run, now), !cases[i].back);
		e = run_restore(a, &run, 8, now, &changes);
		assert_int_equal(e == NULL, cases[i].back);
		assert_int_equal(run.deleted_at.us == 0, cases[i].back);
		assert_int_equal(changes.count, cases[i].back ? 2 : 1);
		assert_int_equal(changes.at[0].from_state, RUN_FAILED);
		assert_int_equal(changes.at[0].to_state, RUN_FAILED);
		assert_int_equal(changes.at[0].user_id, 7);
	}
	arena_free(a);
}

/* A run that left an entity, which may bring it back: whatever its time to be restored here is. */
static void a_run_that_is_kept_is_not_purged(void **state)
{
	struct run_deletion at_once = { RUN_WHO_USER, 7, "deleted", { 10 * DAY } };
	struct run run = { .state = RUN_FINISHED, .kept_until = { 20 * DAY } };
	struct run_changes changes = { .count = 0 };
	struct arena *a = arena_new(256);
	err_t e;

	(void)state;
	run_delete(&run, &at_once, (timestamp_us){ 10 * DAY }, &changes);
	e = run_restore(a, &run, 8, (timestamp_us){ 11 * DAY }, &changes);
	assert_true(e && e->kind == ERR_GONE);
	assert_false(run_may_be_purged(&run, (timestamp_us){ 20 * DAY - 1 }));
	assert_true(run_may_be_purged(&run, (timestamp_us){ 20 * DAY }));
	run.purging = true;
	assert_true(run_may_be_purged(&run, (timestamp_us){ 11 * DAY }));
	arena_free(a);
}

static void a_run_that_lives_is_neither_restored_nor_purged(void **state)
{
	struct arena *a = arena_new(256);
	struct run_changes changes = { .count = 0 };
	struct run run = { .state = RUN_RUNNING };

	(void)state;
	assert_null(run_restore(a, &run, 8, (timestamp_us){ DAY }, &changes));
	assert_int_equal(changes.count, 0);
	assert_false(run_may_be_purged(&run, (timestamp_us){ INT64_MAX }));
	arena_free(a);
}

static void new_runs_need_room(void **state)
{
	static const struct {
		int64_t own, standard, used;
		bool may;
	} cases[] = {
		{ QUOTA_STANDARD, QUOTA_NONE, INT64_MAX, true },
		{ QUOTA_STANDARD, 100, 99, true },
		{ QUOTA_STANDARD, 100, 100, false },
		{ QUOTA_NONE, 100, 1000, true },
		{ 50, 100, 60, false },
		{ 200, 100, 150, true },
		{ 1, QUOTA_NONE, 0, true },
	};
	struct arena *a = arena_new(256);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quota_use use = {
			.who = STR("lab"),
			.giver = "of the server",
			.limit = quota_limit(cases[i].own, cases[i].standard),
			.used = cases[i].used,
		};
		err_t e = quota_check(a, &use);

		if ((e == NULL) != cases[i].may)
			fail_msg("case %zu", i);
		if (e)
			assert_string_equal(e->type, "quota-exceeded");
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_over_by_how_and_when_it_ended),
		cmocka_unit_test(it_says_why),
		cmocka_unit_test(a_deleted_run_comes_back_until_its_time_is_over),
		cmocka_unit_test(a_run_that_is_kept_is_not_purged),
		cmocka_unit_test(a_run_that_lives_is_neither_restored_nor_purged),
		cmocka_unit_test(new_runs_need_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
