/* How long a job rests: by what its runs took, of each up to a limit, and never longer than it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job.h"

enum { TIMES = 20, LEAST_US = 200, MOST_US = JOB_WORK_MOST_US };

static const struct {
	int64_t took_us[3], expected_us;
} rests[] = {
	{ { 0 }, 200 },
	{ { 9 }, 200 },
	{ { 10 }, 200 },
	{ { 11 }, 220 },
	{ { 5, 0, 6 }, 220 },
	{ { MOST_US, 1 }, TIMES *(MOST_US + 1) },
	{ { MOST_US + 1, 1 }, TIMES *(MOST_US + 1) }, /* it stood still */
	{ { INT64_MAX }, TIMES *MOST_US },
	{ { MOST_US, MOST_US, MOST_US }, 3 * TIMES *MOST_US }, /* many keep the share */
};

static void test_rest_is_a_share(void **state)
{
	struct job job = { .name = "any" };

	(void)state;
	for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
		for (size_t k = 0; k < 3; k++)
			job_took(&job, rests[i].took_us[k]);
		job_rest(&job, &(struct job_rest){ TIMES, LEAST_US, INT64_MAX });
		assert_int_equal(job.rest_us, rests[i].expected_us);
	}
}

static void test_rest_has_an_end(void **state)
{
	static const struct job_rest rest = { 4, LEAST_US, 1000 };
	static const int64_t cases[][2] = {
		{ 0, 200 }, { 249, 996 }, { 250, 1000 }, { 251, 1000 }, { MOST_US, 1000 }
	};
	struct job job = { .name = "any" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		job_took(&job, cases[i][0]);
		job_rest(&job, &rest);
		assert_int_equal(job.rest_us, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rest_is_a_share),
		cmocka_unit_test(test_rest_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
