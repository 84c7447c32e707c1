/* The number of runs whose cells and buckets are held at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "panel_writer.h"

enum { RUNS = 512, CELLS_MOST = 512 << 10 };

static size_t runs_of(const struct axis *axis, int64_t rows, int64_t events)
{
	int32_t id = 1;
	struct series_panel panel = { .axis = *axis, .buckets = 10 };
	const struct panel_writer w = { .question.panels = &panel, .ids = &id, .id_count = 1 };
	const struct panel_position start = { 0, 0 };
	struct series_member members[RUNS];
	const struct series_members all = { members, RUNS };

	for (size_t i = 0; i < RUNS; i++)
		members[i] = (struct series_member){ .rows = rows, .events = events };
	return panel_writer_slice(&w, &all, &start, panel_writer_keys(&w)).member_count;
}

static const struct axis over_steps = { .x = { .axis = SERIES_STEP }, .stream = STREAM_EVENTS };
static const struct axis over_times = { .x = { .axis = SERIES_TIME }, .stream = STREAM_EVENTS };

static void rows_with_steps_count_as_cells(void **state)
{
	const int64_t rows = 10 * 1000 * 1000;

	(void)state;
	assert_int_equal(runs_of(&over_times, rows, 1000), RUNS);
	assert_true(runs_of(&over_steps, rows, 1000) * (size_t)(rows / CELL_VALUES) <= CELLS_MOST);
	assert_int_equal(runs_of(&over_steps, rows * 100, 1000), 1);
}

static void clocks_count_as_buckets(void **state)
{
	(void)state;
	assert_int_equal(runs_of(&over_times, 1, 1), RUNS);
	assert_int_equal(runs_of(&over_steps, 1, 1), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_with_steps_count_as_cells),
		cmocka_unit_test(clocks_count_as_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
