/* How long a job rests: by what its runs took, of each up to a limit. */
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
		job_rest(&job, TIMES, LEAST_US);
		assert_int_equal(job.rest_us, rests[i].expected_us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rest_is_a_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
