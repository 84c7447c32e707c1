/* Writers: roles, lanes, heartbeats, console lines counted again, and the state that people see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer.h"

#define SECOND INT64_C(1000000)

static void roles_have_names(void **state)
{
	enum writer_role role = WRITER_HAND;

	(void)state;
	assert_string_equal(writer_role_name(WRITER_PRIMARY), "primary");
	assert_string_equal(writer_role_name(WRITER_WORKER), "worker");
	assert_string_equal(writer_role_name(WRITER_HAND), "hand");
	assert_true(writer_role_parse(STR("primary"), &role));
	assert_int_equal(role, WRITER_PRIMARY);
	assert_true(writer_role_parse(STR("worker"), &role));
	assert_int_equal(role, WRITER_WORKER);
	assert_false(writer_role_parse(STR("hand"), &role));
	assert_false(writer_role_parse(STR(""), &role));
}

static void writers_beyond_the_most_share_a_lane(void **state)
{
	static const int32_t lanes[][2] = { { 0, 0 },
					    { WRITER_MAX - 1, WRITER_MAX - 1 },
					    { WRITER_MAX, WRITER_OVERFLOW },
					    { WRITER_MAX + 5, WRITER_OVERFLOW } };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(writer_lane(&(struct writer){ .writer = lanes[i][0] }),
				 lanes[i][1]);
}

/* Three of them fit into the limit, and there are no more than one a second. */
static void heartbeats_fit_into_the_limit_of_silence(void **state)
{
	static const int64_t seconds[][2] = { { 0, 1 },  { 3, 1 },   { 5, 1 },   { 6, 2 },
					      { 29, 9 }, { 30, 10 }, { 300, 10 } };

	(void)state;
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(writer_heartbeat_s(seconds[i][0] * SECOND), seconds[i][1]);
}

static void lag_is_counted_from_the_newest_row(void **state)
{
	const timestamp_us now = { 100 * SECOND };

	(void)state;
	assert_int_equal(writer_lag_us(now, 97.5), 2500000);
	assert_int_equal(writer_lag_us(now, 101), -SECOND);
	assert_int_equal(writer_lag_us(now, 0), 0);
}

/* The SDK without client ids: a process that resumes counts on, a new one counts from 0. */
static void console_lines_of_a_new_process_come_after_those_stored(void **state)
{
	static const struct {
		int64_t console_shift, first, shift;
		bool may_be_stored;
	} cases[] = {
		{ 0, 5, 0, false },    { 30, 0, 30, false }, /* known already */
		{ -1, 0, 0, false },                         /* nothing is stored */
		{ -11, 0, 10, true },  { -11, 9, 10, true }, /* ten lines are stored */
		{ -11, 10, 0, false }, { -11, 25, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct writer w = { .console_shift = cases[i].console_shift };
		int64_t shift = -7;

		assert_int_equal(writer_console_shift(&w, cases[i].first, &shift),
				 cases[i].may_be_stored);
		assert_int_equal(shift, cases[i].shift);
	}
}

static void a_silent_writer_is_lost_at_the_limit(void **state)
{
	struct writer w = { .state = WRITER_ALIVE,
			    .role = WRITER_WORKER,
			    .heard_at = { 100 * SECOND } };

	(void)state;
	assert_false(writer_is_lost(&w, (timestamp_us){ 130 * SECOND - 1 }, 30 * SECOND));
	assert_true(writer_is_lost(&w, (timestamp_us){ 130 * SECOND }, 30 * SECOND));
	w.role = WRITER_HAND;
	assert_false(writer_is_lost(&w, (timestamp_us){ 999 * SECOND }, 30 * SECOND));
	w.role = WRITER_PRIMARY;
	assert_false(writer_has_ended(&w));
	for (w.state = WRITER_ENDED; w.state <= WRITER_GIVEN_UP; w.state++) {
		assert_false(writer_is_lost(&w, (timestamp_us){ 999 * SECOND }, 30 * SECOND));
		assert_true(writer_has_ended(&w));
	}
}

static void people_see_one_of_four_states(void **state)
{
	enum { LIMIT_S = 30, NOW_S = 200, SILENT_S = 100, HEARD_S = 190 };
	static const struct {
		int16_t state, role;
		int64_t heard_s;
		struct writer_run run;
		const char *shown;
	} cases[] = {
		{ WRITER_ALIVE, WRITER_PRIMARY, HEARD_S, { 0 }, "alive" },
		{ WRITER_ALIVE, WRITER_PRIMARY, SILENT_S, { 0 }, "lost" },
		{ WRITER_ENDED, WRITER_PRIMARY, HEARD_S, { 0 }, "ended" },
		{ WRITER_ORPHANED, WRITER_WORKER, SILENT_S, { 0 }, "ended" },
		{ WRITER_REPLACED, WRITER_PRIMARY, SILENT_S, { 0 }, "replaced" },
		/* by hand: it ends with the run, and is never lost */
		{ WRITER_ALIVE, WRITER_HAND, SILENT_S, { 0 }, "alive" },
		{ WRITER_ALIVE, WRITER_HAND, HEARD_S, { true, { 0 } }, "ended" },
		{ WRITER_ALIVE, WRITER_WORKER, HEARD_S, { true, { 0 } }, "alive" },
		/* silent since a client decided the end of the run, or since before */
		{ WRITER_ALIVE, WRITER_PRIMARY, SILENT_S, { true, { 129 * SECOND } }, "ended" },
		{ WRITER_ALIVE, WRITER_PRIMARY, SILENT_S, { true, { 130 * SECOND } }, "lost" },
		{ WRITER_ALIVE, WRITER_WORKER, SILENT_S, { true, { 129 * SECOND } }, "lost" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct writer w = { .state = cases[i].state,
					  .role = cases[i].role,
					  .heard_at = { cases[i].heard_s * SECOND } };

		assert_string_equal(writer_state_shown(&w, cases[i].run,
						       (timestamp_us){ NOW_S * SECOND },
						       LIMIT_S * SECOND),
				    cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_have_names),
		cmocka_unit_test(writers_beyond_the_most_share_a_lane),
		cmocka_unit_test(heartbeats_fit_into_the_limit_of_silence),
		cmocka_unit_test(lag_is_counted_from_the_newest_row),
		cmocka_unit_test(console_lines_of_a_new_process_come_after_those_stored),
		cmocka_unit_test(a_silent_writer_is_lost_at_the_limit),
		cmocka_unit_test(people_see_one_of_four_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
