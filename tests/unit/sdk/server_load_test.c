/* When there is little left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server_load.h"

static void test_is_high(void **state)
{
	static const struct {
		struct server_load load;
		bool is_high;
	} cases[] = {
		{ { 0, 1000, 0, 1024 }, false },
		{ { 750, 1000, 512, 1024 }, false },
		{ { 751, 1000, 0, 1024 }, true },
		{ { 2000, 1000, 0, 1024 }, true },
		{ { 0, 1000, 513, 1024 }, true },
		{ { 0, 1000, 1, 1 }, true },
		{ { 0, 1000, 0, 1 }, false },
		{ { (size_t)2 << 40, (size_t)4 << 40, 0, 1 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(server_load_is_high(&cases[i].load), cases[i].is_high);
}

static void test_was_high(void **state)
{
	const int64_t us = 1000000;

	(void)state;
	assert_false(server_load_was_high(0, 5 * us));
	assert_true(server_load_was_high(5 * us, 5 * us));
	assert_true(server_load_was_high(5 * us, (5 + SERVER_LOAD_LASTS_S) * us - 1));
	assert_false(server_load_was_high(5 * us, (5 + SERVER_LOAD_LASTS_S) * us));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_high),
		cmocka_unit_test(test_was_high),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
