/* The best value of a key and what was known of another then, by cells and by points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "best_value.h"

enum { MOST = 2000 };

/* A writer's values with their cells. */
struct lane {
	uint32_t count;
	int64_t rows[MOST];
	int64_t steps[MOST];
	double numbers[MOST];
	struct cell cells[MOST / CELL_VALUES + 1];
	uint32_t cell_count;
};

static void add(struct lane *lane, int64_t row, int64_t step, double number)
{
	lane->rows[lane->count] = row;
	lane->steps[lane->count] = step;
	lane->numbers[lane->count++] = number;
}

static struct cell_values values_of(const struct lane *lane)
{
	return (struct cell_values){ lane->count, lane->rows, lane->steps, lane->numbers };
}

static void roll(struct lane *lane)
{
	const struct cell_values values = values_of(lane);

	lane->cell_count = lane->count ? rollup_add(lane->cells, 0, &values) : 0;
}

/* ---- the best ------------------------------------------------------------------------------------ */

static void the_best_of_some(void **state)
{
	static const struct {
		double numbers[4];
		enum best_goal goal;
		int64_t row; /* -1: none */
	} cases[] = {
		{ { 1, 3, 2, 0 }, BEST_MAX, 1 },
		{ { 1, 3, 2, 0 }, BEST_MIN, 3 },
		{ { 3, 3, 3, 3 }, BEST_MAX, 0 },
		{ { NAN, 3, INFINITY, 3 }, BEST_MAX, 1 },
		{ { NAN, 3, -INFINITY, 2 }, BEST_MIN, 3 },
		{ { NAN, NAN, INFINITY, -INFINITY }, BEST_MAX, -1 },
		{ { -0.0, 0.0, -1, -2 }, BEST_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lane *lane = calloc(1, sizeof(*lane));
		struct best_value best = { 0 };
		const struct cell *cell;
		struct cell_values values;

		for (int64_t row = 0; row < 4; row++)
			add(lane, row, row + 10, cases[i].numbers[row]);
		roll(lane);
		values = values_of(lane);
		cell = best_cell(cases[i].goal, NULL, lane->cells, lane->cell_count);
		best_value_add(&best, cases[i].goal, &values);
		assert_int_equal(cell != NULL, cases[i].row >= 0);
		assert_int_equal(best.is_there, cases[i].row >= 0);
		if (best.is_there) {
			assert_int_equal(best.row, cases[i].row);
			assert_int_equal(best.step, cases[i].row + 10);
		}
		free(lane);
	}
}

/* Rows come late: the lower step counts, not the lower row. */
static void of_equal_ones_that_of_the_lowest_step(void **state)
{
	const struct cell_values values = { 4, (int64_t[]){ 0, 1, 2, 3 }, (int64_t[]){ 7, 5, 5, 6 },
					    (double[]){ 2, 2, 2, 1 } };
	const struct cell cells[] = { { .n = 1, .max = 2, .step_min = 7, .row_first = 0 },
				      { .n = 1, .max = 2, .step_min = 5, .row_first = 9 },
				      { .n = 1, .max = 2, .step_min = 5, .row_first = 8 },
				      { .nan = 1, .max = NAN, .step_min = 1 } };
	struct best_value best = { 0 };

	(void)state;
	best_value_add(&best, BEST_MAX, &values);
	assert_int_equal(best.row, 1);
	assert_ptr_equal(best_cell(BEST_MAX, NULL, cells, 4), &cells[2]);
	assert_ptr_equal(best_cell(BEST_MAX, &cells[2], cells, 1), &cells[2]);
}

/* Two writers over the same steps: the second has as great a value before the first has. */
static void of_equal_ones_of_two_writers(void **state)
{
	struct lane *lanes = calloc(2, sizeof(*lanes));
	struct best_value best = { 0 };
	const struct cell *cell = NULL;
	struct best_span span;

	(void)state;
	for (int64_t step = 0; step < 1000; step++) {
		add(&lanes[0], 2 * step, step, step == 200 || step > 900 ? 1 : 0);
		add(&lanes[1], 2 * step + 1, step, step == 50 ? 1 : 0.5);
	}
	for (size_t i = 0; i < 2; i++) {
		roll(&lanes[i]);
		cell = best_cell(BEST_MAX, cell, lanes[i].cells, lanes[i].cell_count);
	}
	assert_ptr_equal(cell, &lanes[0].cells[0]);
	span = best_span_of(cell);
	for (size_t i = 0; i < 2; i++)
		best_span_add(&span, BEST_MAX, cell, lanes[i].cells, lanes[i].cell_count);
	assert_int_equal(span.step_min, 0);
	assert_int_equal(span.step_max, CELL_VALUES - 1);
	assert_int_equal(span.row_first, 0);
	assert_int_equal(span.row_last, 2 * CELL_VALUES - 1); /* no cell of later steps */
	for (size_t i = 0; i < 2; i++) {
		const struct cell_values values = { CELL_VALUES, lanes[i].rows, lanes[i].steps,
						    lanes[i].numbers };

		best_value_add(&best, BEST_MAX, &values);
	}
	assert_int_equal(best.step, 50);
	free(lanes);
}

/* ---- what was known ------------------------------------------------------------------------------ */

static struct best_value known_of(const struct best_value *place, const struct lane *lanes,
				  size_t count)
{
	struct known_span span = known_span_of(place);
	struct best_value known = { 0 };

	for (size_t i = 0; i < count; i++)
		known_span_begin(&span, lanes[i].cells, lanes[i].cell_count);
	for (size_t i = 0; i < count; i++)
		known_span_add(&span, lanes[i].cells, lanes[i].cell_count);
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < lanes[i].count; k++) {
			const struct cell_values one = { 1, &lanes[i].rows[k], &lanes[i].steps[k],
							 &lanes[i].numbers[k] };

			if (one.rows[0] >= span.row_first && one.rows[0] <= span.row_last &&
			    one.steps[0] >= span.step_from && one.steps[0] <= span.step)
				known_value_add(&known, place, &one);
		}
	}
	return known;
}

static void the_row_itself_or_the_last_before(void **state)
{
	static const struct {
		int64_t steps[4];
		int64_t place_row, place_step;
		int64_t row; /* -1: nothing was known */
	} cases[] = {
		{ { 1, 2, 3, 4 }, 2, 3, 2 }, { { 1, 2, 3, 4 }, 9, 3, 2 },
		{ { 1, 2, 5, 6 }, 9, 4, 1 }, { { 5, 6, 7, 8 }, 9, 4, -1 },
		{ { 3, 3, 3, 3 }, 1, 3, 1 }, { { 3, 3, 3, 3 }, 9, 3, 3 },
		{ { 4, 1, 2, 1 }, 9, 3, 2 }, { { 1, 2, 3, 4 }, 9, 90, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct best_value place = { true, cases[i].place_row, cases[i].place_step,
						  0 };
		struct lane *lane = calloc(1, sizeof(*lane));
		struct best_value known;

		for (int64_t row = 0; row < 4; row++)
			add(lane, row, cases[i].steps[row], (double)row);
		roll(lane);
		known = known_of(&place, lane, 1);
		assert_int_equal(known.is_there ? known.row : -1, cases[i].row);
		free(lane);
	}
}

static struct cell cell_to(int64_t step_min, int64_t step_max, int64_t row_first, int64_t row_last)
{
	return (struct cell){ .n = 1,
			      .step_min = step_min,
			      .step_max = step_max,
			      .row_first = row_first,
			      .row_last = row_last };
}

/* Only the rows that may hold the answer are read: those from the last step that a cell ends at. */
static void the_span_begins_where_a_cell_ends_at_the_step_or_before(void **state)
{
	static const struct {
		int64_t step; /* of the place */
		int64_t step_from, row_first, row_last;
	} cases[] = {
		{ 29, 29, 20, 29 }, /* a cell ends at the step itself */
		{ 30, 29, 20, 39 }, /* the next one begins there */
		{ 35, 29, 20, 39 },     { 9, 9, 0, 9 },
		{ 8, INT64_MIN, 0, 9 }, /* no cell ends before it */
		{ 900, 39, 30, 39 },
	};
	/* Rows came late, so they are not in the order of their steps. */
	const struct cell cells[] = { cell_to(20, 29, 20, 29),
				      cell_to(0, 9, 0, 9),
				      cell_to(10, 19, 10, 19),
				      cell_to(30, 39, 30, 39),
				      { .step_min = 5, .step_max = 8, .row_last = 99 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct best_value place = { true, 0, cases[i].step, 0 };
		struct known_span span = known_span_of(&place);

		known_span_begin(&span, cells, 5);
		known_span_add(&span, cells, 5);
		assert_int_equal(span.step, cases[i].step);
		assert_int_equal(span.step_from, cases[i].step_from);
		assert_int_equal(span.row_first, cases[i].row_first);
		assert_int_equal(span.row_last, cases[i].row_last);
	}
}

/* Steps of any order in several writers: what the cells point at has what all values have. */
static void cells_leave_out_nothing(void **state)
{
	(void)state;
	srand(7);
	for (int turn = 0; turn < 40; turn++) {
		struct lane *lanes = calloc(3, sizeof(*lanes));
		struct best_value place = { true, rand() % 6000, rand() % 3000, 0 };
		struct best_value all = { 0 };
		struct best_value known;

		for (int64_t row = 0; row < 3000; row++) {
			int64_t step = turn % 2 ? row / 2 : (int64_t)rand() % 2500 + 200;

			if (lanes[row % 3].count < MOST)
				add(&lanes[row % 3], row, step, (double)row);
		}
		for (size_t i = 0; i < 3; i++) {
			const struct cell_values values = values_of(&lanes[i]);

			roll(&lanes[i]);
			known_value_add(&all, &place, &values);
		}
		known = known_of(&place, lanes, 3);
		assert_int_equal(known.is_there, all.is_there);
		assert_int_equal(known.row, all.row);
		free(lanes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_of_some),
		cmocka_unit_test(of_equal_ones_that_of_the_lowest_step),
		cmocka_unit_test(of_equal_ones_of_two_writers),
		cmocka_unit_test(the_row_itself_or_the_last_before),
		cmocka_unit_test(the_span_begins_where_a_cell_ends_at_the_step_or_before),
		cmocka_unit_test(cells_leave_out_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
