/* Runs are found by their id, whatever order they came in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"

static void runs_are_found_by_id(void **state)
{
	struct run runs[] = {
		{ .run_id = 7 }, { .run_id = INT64_MAX }, { .run_id = 1 }, { .run_id = 5 }
	};

	(void)state;
	run_list_sort(runs, 4);
	for (size_t i = 0; i < 4; i++)
		assert_ptr_equal(run_list_find(runs, 4, runs[i].run_id), &runs[i]);
	assert_null(run_list_find(runs, 4, 6));
}

static void in_none_there_is_none(void **state)
{
	(void)state;
	run_list_sort(NULL, 0);
	assert_null(run_list_find(NULL, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_found_by_id),
		cmocka_unit_test(in_none_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
