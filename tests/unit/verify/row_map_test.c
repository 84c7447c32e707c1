/* Whose rows are: new, known, another's, missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "row_map.h"

static void test_marks(void **state)
{
	struct arena *a = arena_new(4096);
	struct row_map m;

	(void)state;
	row_map_init(a, &m, 100, 10);
	assert_int_equal(row_map_note(&m, 99, 0, 0), ROW_OUTSIDE);
	assert_int_equal(row_map_note(&m, 110, 0, 0), ROW_OUTSIDE);
	assert_int_equal(row_map_note(&m, INT64_MIN, 0, 0), ROW_OUTSIDE);
	assert_int_equal(row_map_note(&m, 100, 3, 7), ROW_NEW);
	assert_int_equal(row_map_note(&m, 100, 3, 7), ROW_KNOWN);
	assert_int_equal(row_map_note(&m, 100, 4, 7), ROW_OTHER);
	assert_int_equal(row_map_note(&m, 100, 3, 8), ROW_OTHER);
	assert_int_equal(row_map_note(&m, 100, 7, 3), ROW_OTHER);
	assert_int_equal(row_map_note(&m, 100, 3, 7), ROW_KNOWN);
	assert_int_equal(row_map_note(&m, 101, -1, -1), ROW_NEW);
	assert_int_equal(row_map_note(&m, 101, -1, INT64_MIN), ROW_OTHER);
	arena_free(a);
}

/* Neighbours in writer and step are the likely mistakes; none of them may look like the row itself. */
static void test_neighbours_differ(void **state)
{
	struct arena *a = arena_new(4096);
	struct row_map m;

	(void)state;
	row_map_init(a, &m, 0, 1);
	row_map_note(&m, 0, 1000, 1000);
	for (int32_t writer = 0; writer < 2000; writer++) {
		for (int64_t step = 900; step < 1100; step++) {
			enum row_state mark = row_map_note(&m, 0, writer, step);

			assert_int_equal(mark,
					 writer == 1000 && step == 1000 ? ROW_KNOWN : ROW_OTHER);
		}
	}
	arena_free(a);
}

static void test_gaps(void **state)
{
	struct arena *a = arena_new(4096);
	struct row_map m;
	struct row_gap gap;

	(void)state;
	row_map_init(a, &m, 50, 6);
	gap = row_map_gap(&m);
	assert_int_equal(gap.missing, 6);
	assert_int_equal(gap.first, 50);
	assert_int_equal(gap.last, 55);
	row_map_note(&m, 50, 0, 0);
	row_map_note(&m, 53, 0, 0);
	gap = row_map_gap(&m);
	assert_int_equal(gap.missing, 4);
	assert_int_equal(gap.first, 51);
	assert_int_equal(gap.last, 52);
	for (int64_t row = 50; row < 56; row++)
		row_map_note(&m, row, 0, 0);
	assert_int_equal(row_map_gap(&m).missing, 0);
	row_map_init(a, &m, 0, 0);
	assert_int_equal(row_map_gap(&m).missing, 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_neighbours_differ),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
