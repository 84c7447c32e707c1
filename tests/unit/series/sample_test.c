/* Samples: buckets of a chart from points and from cells. */
#include "series_data.h"

#include <float.h>

#include "rollup.h"
#include "sample.h"

enum { COUNT = 10000 };

struct series {
	int64_t rows[COUNT];
	int64_t steps[COUNT];
	double numbers[COUNT];
};

static struct series *series_new(struct arena *a)
{
	struct series *s = arena_new_of(a, struct series);

	for (uint32_t i = 0; i < COUNT; i++) {
		s->rows[i] = i;
		s->steps[i] = 3 * i;
		s->numbers[i] = series_number(SERIES_DOUBLE, i, COUNT);
	}
	s->numbers[777] = 1e6;
	s->numbers[4242] = (double)NAN;
	s->numbers[4243] = HUGE_VAL;
	s->numbers[4244] = -HUGE_VAL;
	return s;
}

static struct cell_values part(const struct series *s, uint32_t from, uint32_t count)
{
	return (struct cell_values){ count, s->rows + from, s->steps + from, s->numbers + from };
}

static void points_fall_into_their_share(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const struct series *series = series_new(a);
	struct cell_values all = part(series, 0, COUNT);
	struct sample *s =
		sample_new(a, &(struct sample_shape){ 0, 3 * COUNT - 1, 100, COUNT, SAMPLE_WHOLE });
	struct bucket *b;
	uint64_t points = 0;

	(void)state;
	sample_add_points(s, &all);
	assert_int_equal(sample_finish(s, &b), 100);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(b[i].step_first, 300 * i);
		assert_int_equal(b[i].step_last, 300 * i + 297);
		assert_int_equal(b[i].row_first, 100 * i);
		assert_true(b[i].min <= b[i].mean && b[i].mean <= b[i].max);
		points += b[i].n + b[i].nan + b[i].pinf + b[i].ninf;
	}
	assert_int_equal(points, COUNT);
	assert_true(b[7].max > 999999);
	assert_int_equal(b[42].nan, 1);
	assert_int_equal(b[42].pinf, 1);
	assert_int_equal(b[42].ninf, 1);
	assert_int_equal(b[42].n, 97);
	arena_free(a);
}

static void what_is_outside_is_left_out(void **state)
{
	static const struct {
		int64_t from, to;
		uint32_t buckets, expect;
		uint64_t points;
	} cases[] = {
		{ 0, 29999, 1, 1, COUNT - 3 },
		{ 30, 59, 10, 10, 10 },
		{ 30, 59, 20000, 10, 10 },
		{ 31, 31, 5, 0, 0 },
		{ 30, 30, 5, 1, 1 },
		{ 50000, INT64_C(9007199254740992), 7, 0, 0 },
		{ 0, INT64_C(9007199254740992), 20000, 1, COUNT - 3 },
		{ 60, 30, 10, 0, 0 },
	};
	struct arena *a = arena_new(1 << 20);
	const struct series *series = series_new(a);
	struct cell_values all = part(series, 0, COUNT);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_new(a, &(struct sample_shape){ cases[i].from, cases[i].to,
									 cases[i].buckets, COUNT,
									 SAMPLE_WHOLE });
		struct bucket *b;
		uint64_t points = 0;
		uint32_t n;

		sample_add_points(s, &all);
		n = sample_finish(s, &b);
		assert_int_equal(n, cases[i].expect);
		for (uint32_t j = 0; j < n; j++)
			points += b[j].n;
		assert_int_equal(points, cases[i].points);
	}
	arena_free(a);
}

/* Cells as a compactor leaves them and cells built at once give the same answer. */
static void cells_answer_the_same_however_built(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const struct series *series = series_new(a);
	struct bucket *answers[2];
	uint32_t counts[2];

	(void)state;
	for (int way = 0; way < 2; way++) {
		struct sample *s = sample_new(a, &(struct sample_shape){ 0, 3 * COUNT - 1, 10,
									 COUNT, SAMPLE_WHOLE });
		struct cell cells[COUNT / CELL_VALUES + 2] = { 0 };
		uint32_t piece = way ? 333 : COUNT;

		for (uint32_t from = 0; from < COUNT; from += piece) {
			uint32_t count = COUNT - from < piece ? COUNT - from : piece;
			struct cell_values values = part(series, from, count);

			rollup_add(cells + from / CELL_VALUES, from, &values);
		}
		sample_add_cells(s, cells, COUNT / CELL_VALUES + 1);
		counts[way] = sample_finish(s, &answers[way]);
	}
	assert_int_equal(counts[0], 10);
	assert_int_equal(counts[0], counts[1]);
	assert_memory_equal(answers[0], answers[1], counts[0] * sizeof(*answers[0]));
	assert_true(answers[0][0].max > 999999);
	arena_free(a);
}

/* Means of values whose sum is no double, from points and from cells built in one go or in two. */
static void means_stand_beyond_the_range_of_sums(void **state)
{
	static const int64_t rows[] = { 0, 1, 2, 3 };
	static const struct {
		double numbers[4];
		double mean;
	} cases[] = {
		{ { 1e308, 1e308, 1e308, 1e308 }, 1e308 },
		{ { 1e308, 1e308, -1e308, -1e308 }, 0 },
		{ { DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX }, DBL_MAX },
		{ { -DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX }, -DBL_MAX },
		{ { 0x1p960, 0x1p959, 0x1p960, 0x1p959 }, 0x1.8p959 },
		{ { 1, 2, 3, 4 }, 2.5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct cell_values all = { 4, rows, rows, cases[i].numbers };
		struct cell_values early = { 1, rows, rows, cases[i].numbers };
		struct cell_values late = { 3, rows + 1, rows + 1, cases[i].numbers + 1 };

		for (int way = 0; way < 4; way++) {
			struct sample *s =
				sample_new(a, &(struct sample_shape){ 0, 3, 1, 4, SAMPLE_WHOLE });
			struct cell cells[2] = { 0 };
			struct bucket *b;

			if (way == 0) {
				sample_add_points(s, &all);
			} else if (way == 1) {
				rollup_add(cells, 0, &all);
			} else {
				rollup_add(cells, 0, &early);
				rollup_add(cells + way - 2, (uint64_t)(way == 2), &late);
			}
			if (way == 3)
				cell_merge(&cells[0], &cells[1]);
			sample_add_cells(s, cells, 1);
			assert_int_equal(sample_finish(s, &b), 1);
			assert_int_equal(b->n, 4);
			assert_true(b->mean == cases[i].mean);
		}
		arena_free(a);
	}
}

static void writers_are_merged_by_row(void **state)
{
	static const int64_t rows[2][2] = { { 0, 3 }, { 1, 2 } };
	static const int64_t steps[2] = { 5, 6 };
	static const double numbers[2][2] = { { 10, 40 }, { 20, 30 } };
	struct arena *a = arena_new(4096);
	struct sample *s = sample_new(a, &(struct sample_shape){ 0, 9, 1, COUNT, SAMPLE_WHOLE });
	struct bucket *b;

	(void)state;
	for (int writer = 0; writer < 2; writer++) {
		struct cell_values values = { 2, rows[writer], steps, numbers[writer] };

		sample_add_points(s, &values);
	}
	assert_int_equal(sample_finish(s, &b), 1);
	assert_int_equal(b->row_first, 0);
	assert_int_equal(b->row_last, 3);
	assert_int_equal(b->n, 4);
	assert_true(series_same((const double[]){ b->first, b->last, b->min, b->max, b->mean },
				(const double[]){ 10, 40, 10, 40, 25 }, 5));
	arena_free(a);
}

/* Twenty thousand buckets of a series of three values take no more than their places. */
static void memory_goes_by_values(void **state)
{
	const struct series *series;
	struct arena *a = arena_new(1 << 20);
	struct arena *small = arena_new(64);
	struct cell_values three;
	struct sample *s;
	struct bucket *b;

	(void)state;
	series = series_new(a);
	three = part(series, 0, 3);
	s = sample_new(small, &(struct sample_shape){ 0, 6, SAMPLE_MAX_BUCKETS, 3, SAMPLE_WHOLE });
	sample_add_points(s, &three);
	assert_int_equal(sample_finish(s, &b), 3);
	assert_true(arena_size(small) < SAMPLE_MAX_BUCKETS * sizeof(struct bucket) / 4);
	arena_free(small);
	arena_free(a);
}

/* Values that came after the counting find their place, too. */
static void more_values_than_announced(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const struct series *series = series_new(a);
	struct cell_values some = part(series, 0, 100);
	struct sample *s = sample_new(a, &(struct sample_shape){ 0, 297, 50, 7, SAMPLE_WHOLE });
	struct bucket *b;

	(void)state;
	sample_add_points(s, &some);
	assert_int_equal(sample_finish(s, &b), 50);
	for (uint32_t i = 0; i < 50; i++) {
		assert_int_equal(b[i].row_first, 2 * i);
		assert_int_equal(b[i].n, 2);
	}
	arena_free(a);
}

static void totals_decide_between_cells_and_points(void **state)
{
	(void)state;
	assert_false(sample_wants_cells(255999, 1000, 0));
	assert_true(sample_wants_cells(256000, 1000, 0));
	assert_false(sample_wants_cells(100, 1, 0));
	assert_false(sample_wants_cells(256, 1, 1));
	assert_false(sample_wants_cells(33 * 256 - 1, 1, 2));
	assert_true(sample_wants_cells(33 * 256, 1, 2));
}

/* The cells that a range begins and ends in are counted in its first and its last bucket, and no others. */
static void cells_at_the_ends_of_a_range_count(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const struct series *series = series_new(a);
	struct cell_values all = part(series, 0, COUNT);
	struct cell cells[COUNT / CELL_VALUES + 2] = { 0 };
	struct sample *s =
		sample_new(a, &(struct sample_shape){ 3 * 300, 3 * 1030, 2, COUNT, SAMPLE_WHOLE });
	struct bucket *b;

	(void)state;
	rollup_add(cells, 0, &all);
	sample_add_cells(s, cells, COUNT / CELL_VALUES + 1);
	assert_int_equal(sample_finish(s, &b), 2);
	assert_int_equal(b[0].row_first, 256);
	assert_int_equal(b[0].row_last, 767);
	assert_int_equal(b[1].row_first, 768);
	assert_int_equal(b[1].row_last, 1279);
	assert_int_equal(b[0].n, 512);
	assert_int_equal(b[1].n, 512);
	arena_free(a);
}

/* Numbers above zero have places on it, however small they are. */
static void a_logarithmic_axis_begins_at_its_first_number_above_zero(void **state)
{
	static const double firsts[] = { 5e-324, 1e-9, 0.5, 1, 3 };
	static const double others[] = { 0, -0.0, -7 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const struct sample_shape shape = { sample_position(firsts[i]),
						    sample_position(100), 10, 10, SAMPLE_LOG };

		assert_int_equal(sample_first(&shape, 0), sample_position(firsts[i]));
		assert_true(fabs(sample_edge(&shape, 0) / firsts[i] - 1) < 1e-9 || i == 0);
		assert_true(fabs(sample_edge(&shape, 10) / 100 - 1) < 1e-9);
	}
	for (size_t i = 0; i < 3; i++) {
		const struct sample_shape shape = { sample_position(others[i]),
						    sample_position(100), 10, 10, SAMPLE_LOG };
		const struct sample_shape whole = { -3 * (int64_t)i, 100, 10, 10,
						    SAMPLE_WHOLE_LOG };

		assert_int_equal(sample_first(&shape, 0), sample_position(5e-324));
		assert_int_equal(sample_first(&whole, 0), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_fall_into_their_share),
		cmocka_unit_test(what_is_outside_is_left_out),
		cmocka_unit_test(cells_answer_the_same_however_built),
		cmocka_unit_test(means_stand_beyond_the_range_of_sums),
		cmocka_unit_test(writers_are_merged_by_row),
		cmocka_unit_test(memory_goes_by_values),
		cmocka_unit_test(more_values_than_announced),
		cmocka_unit_test(totals_decide_between_cells_and_points),
		cmocka_unit_test(cells_at_the_ends_of_a_range_count),
		cmocka_unit_test(a_logarithmic_axis_begins_at_its_first_number_above_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
