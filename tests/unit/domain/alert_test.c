/* Alerts: names of their levels and deliveries, repeats of a title, and when they are tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "alert.h"

#define SECOND INT64_C(1000000)

static void levels_have_names(void **state)
{
	static const char *const names[] = { "none", "info", "warn", "error", "none" };
	enum alert_level level = ALERT_WARN;

	(void)state;
	for (int i = 0; i <= 4; i++)
		assert_string_equal(alert_level_name(i), names[i]);
	for (int i = ALERT_INFO; i <= ALERT_ERROR; i++) {
		assert_true(alert_level_parse(str_of(names[i]), &level));
		assert_int_equal(level, i);
	}
	assert_false(alert_level_parse(STR("none"), &level));
	assert_false(alert_level_parse(STR(""), &level));
	assert_int_equal(level, ALERT_ERROR);
}

static void deliveries_have_names(void **state)
{
	static const char *const names[] = { "none", "nowhere",  "waiting",
					     "sent", "given-up", "none" };

	(void)state;
	for (int i = 0; i < 6; i++)
		assert_string_equal(alert_delivery_name(i - 1), names[i]);
}

static void a_title_repeats_until_its_wait_is_over(void **state)
{
	const timestamp_us last = { 100 * SECOND };

	(void)state;
	assert_true(alert_is_repeat(last, 60 * SECOND, (timestamp_us){ 100 * SECOND }));
	assert_true(alert_is_repeat(last, 60 * SECOND, (timestamp_us){ 160 * SECOND - 1 }));
	assert_false(alert_is_repeat(last, 60 * SECOND, (timestamp_us){ 160 * SECOND }));
	assert_false(alert_is_repeat(last, 0, (timestamp_us){ 100 * SECOND }));
	assert_false(alert_is_repeat((timestamp_us){ 0 }, 60 * SECOND, (timestamp_us){ SECOND }));
}

static void tries_come_later_and_later(void **state)
{
	static const int64_t waits_s[] = { 10, 10, 30, 90, 270, 810, 2430, 3600, 3600 };
	const timestamp_us now = { 5000 * SECOND };

	(void)state;
	for (int32_t tries = 0; tries < 9; tries++) {
		const struct alert alert = { .tries = tries, .created_at = now };
		timestamp_us at;

		assert_true(alert_try_again(&alert, now, &at));
		assert_int_equal(at.us - now.us, waits_s[tries] * SECOND);
	}
}

static void an_alert_is_given_up_after_a_day(void **state)
{
	const struct alert alert = { .tries = 40, .created_at = { SECOND } };
	timestamp_us at;

	(void)state;
	assert_true(alert_try_again(&alert, (timestamp_us){ 86401 * SECOND - 1 }, &at));
	assert_false(alert_try_again(&alert, (timestamp_us){ 86401 * SECOND }, &at));
}

/* The difference would tell which hosts the server's network has. */
static void readers_do_not_see_why_a_host_has_no_address(void **state)
{
	(void)state;
	assert_true(str_is(alert_fault_shown(STR("no-such-host")), "no-address"));
	assert_true(str_is(alert_fault_shown(STR("address-not-allowed")), "no-address"));
	assert_true(str_is(alert_fault_shown(STR("timeout")), "timeout"));
	assert_true(str_is(alert_fault_shown(STR("")), ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_have_names),
		cmocka_unit_test(deliveries_have_names),
		cmocka_unit_test(a_title_repeats_until_its_wait_is_over),
		cmocka_unit_test(tries_come_later_and_later),
		cmocka_unit_test(an_alert_is_given_up_after_a_day),
		cmocka_unit_test(readers_do_not_see_why_a_host_has_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
