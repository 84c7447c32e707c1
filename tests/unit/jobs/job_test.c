/* How long a job rests: by what its pass took, within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job.h"

static const struct {
	int64_t wanted_us, expected_us;
} rests[] = {
	{ 0, 200 },     { 199, 200 },   { 200, 200 },        { 201, 201 },
	{ 5000, 5000 }, { 5001, 5000 }, { INT64_MAX, 5000 },
};

static void test_rest_has_bounds(void **state)
{
	struct job job = { .name = "any" };

	(void)state;
	for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
		job_rest(&job, rests[i].wanted_us, 200, 5000);
		assert_int_equal(job.rest_us, rests[i].expected_us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rest_has_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
