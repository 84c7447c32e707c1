/* When a disk is full, by what was used of it before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "disk_forecast.h"

enum { GIB = 1 << 30, HOUR = 3600 };

static const struct {
	int64_t past_s, more_bytes, room_bytes;
	int64_t days, rate_days;
} cases[] = {
	{ 7 * 24 * HOUR, 7 * (int64_t)GIB, 43 * (int64_t)GIB, 43, 7 },
	{ 7 * 24 * HOUR, 7 * (int64_t)GIB, 0, 0, 7 },
	{ 7 * 24 * HOUR, 7 * (int64_t)GIB, -5, 0, 7 },
	{ 36 * HOUR, 3 * (int64_t)GIB, 3 * (int64_t)GIB, 1, 2 },
	{ 24 * HOUR, GIB, 3650 * (int64_t)GIB, 3650, 1 },
	{ 24 * HOUR, GIB, 3651 * (int64_t)GIB, -1, 0 },
	{ 24 * HOUR - 1, GIB, 3 * (int64_t)GIB, -1, 0 },
	{ 7 * 24 * HOUR, 0, GIB, -1, 0 },
	{ 7 * 24 * HOUR, -GIB, GIB, -1, 0 },
};

static void test_disks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct disk_forecast_sample before = { { 5 }, 12 * (int64_t)GIB };
		const struct disk_forecast_sample now = {
			{ 5 + cases[i].past_s * 1000000 },
			before.used_bytes + cases[i].more_bytes,
		};
		struct disk_forecast told = disk_forecast_of(&before, &now, cases[i].room_bytes);

		assert_int_equal(told.days, cases[i].days);
		assert_int_equal(told.rate_days, cases[i].rate_days);
	}
}

static void test_without_a_past(void **state)
{
	const struct disk_forecast_sample now = { { 5 }, GIB };

	(void)state;
	assert_int_equal(disk_forecast_of(NULL, &now, GIB).days, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disks),
		cmocka_unit_test(test_without_a_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
