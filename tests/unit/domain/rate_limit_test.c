/* So many times in so long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rate_limit.h"

static const struct rate_limit_rule three = { 3, 300 };

static void take(struct rate_limit *a, int64_t now, int count)
{
	for (int i = 0; i < count; i++) {
		assert_int_equal(rate_limit_wait_us(a, &three, now), 0);
		rate_limit_take(a, &three, now);
	}
}

static void test_so_many_at_once(void **state)
{
	struct rate_limit a = { 0 };

	(void)state;
	take(&a, 1000, 3);
	assert_int_equal(rate_limit_wait_us(&a, &three, 1000), 100);
	assert_int_equal(rate_limit_wait_us(&a, &three, 1099), 1);
}

static void test_comes_back_evenly(void **state)
{
	struct rate_limit a = { 0 };

	(void)state;
	take(&a, 1000, 3);
	take(&a, 1100, 1);
	assert_int_equal(rate_limit_wait_us(&a, &three, 1100), 100);
	take(&a, 1300, 2);
	assert_int_equal(rate_limit_wait_us(&a, &three, 1300), 100);
}

static void test_no_more_than_all_of_it_waits(void **state)
{
	struct rate_limit a = { 0 };

	(void)state;
	take(&a, 1000, 1);
	take(&a, 1000000, 3);
	assert_true(rate_limit_wait_us(&a, &three, 1000000) > 0);
}

static void test_what_did_not_count(void **state)
{
	struct rate_limit a = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++) {
		take(&a, 1000, 1);
		rate_limit_give_back(&a, &three);
	}
	take(&a, 1000, 3);
	assert_true(rate_limit_wait_us(&a, &three, 1000) > 0);
	rate_limit_give_back(&a, &three);
	take(&a, 1000, 1);
}

/* The share of one is cut to whole microseconds. */
static void test_counts_that_do_not_divide(void **state)
{
	(void)state;
	for (int64_t count = 1; count < 50; count++) {
		struct rate_limit_rule rule = { count, 1000 };
		struct rate_limit a = { 0 };

		for (int64_t i = 0; i < count; i++) {
			assert_int_equal(rate_limit_wait_us(&a, &rule, 5000), 0);
			rate_limit_take(&a, &rule, 5000);
		}
		assert_true(rate_limit_wait_us(&a, &rule, 5000) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_so_many_at_once),
		cmocka_unit_test(test_comes_back_evenly),
		cmocka_unit_test(test_no_more_than_all_of_it_waits),
		cmocka_unit_test(test_what_did_not_count),
		cmocka_unit_test(test_counts_that_do_not_divide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
