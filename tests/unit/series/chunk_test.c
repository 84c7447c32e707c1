/* Chunks and their rollups. */
#include "series_data.h"

#include "chunk.h"
#include "rollup.h"

enum row_shape { ROWS_DENSE, ROWS_STRIDED, ROWS_UNEVEN, ROW_SHAPES };
enum step_shape { STEPS_LIKE_ROWS, STEPS_SHIFTED, STEPS_TENS, STEPS_RANDOM, STEP_SHAPES };

static void fill(enum row_shape row_shape, enum step_shape step_shape, uint32_t count,
		 int64_t *rows, int64_t *steps)
{
	uint64_t random = 3;
	int64_t row = 1000;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t r = series_random(&random);

		rows[i] = row;
		row += row_shape == ROWS_DENSE     ? 1
		       : row_shape == ROWS_STRIDED ? 64
						   : 1 + (int64_t)(r % 9);
		steps[i] = step_shape == STEPS_LIKE_ROWS ? rows[i]
			   : step_shape == STEPS_SHIFTED ? rows[i] - 900
			   : step_shape == STEPS_TENS    ? 10 * (int64_t)i
							 : (int64_t)(r >> 20);
	}
}

static void chunks_come_back_bit_for_bit(void **state)
{
	static const uint32_t counts[] = { 1, 2, 255, 4096 };
	struct arena *a = arena_new(1 << 20);
	struct codec *c = codec_new();
	struct buf bytes = { 0 };
	int64_t *rows = arena_new_array(a, int64_t, CHUNK_VALUES);
	int64_t *steps = arena_new_array(a, int64_t, CHUNK_VALUES);
	double *numbers = arena_new_array(a, double, CHUNK_VALUES);

	(void)state;
	for (int test = 0; test < SERIES_KINDS * ROW_SHAPES * STEP_SHAPES * 4; test++) {
		struct chunk chunk = {
			.count = counts[test % 4], .rows = rows, .steps = steps, .numbers = numbers
		};
		struct chunk back;
		enum series_kind kind = (enum series_kind)(test / 4 % SERIES_KINDS);
		int shape = test / 4 / SERIES_KINDS;

		fill((enum row_shape)(shape % ROW_SHAPES), (enum step_shape)(shape / ROW_SHAPES),
		     chunk.count, rows, steps);
		for (uint32_t i = 0; i < chunk.count; i++)
			numbers[i] = series_number(kind, i, chunk.count);
		buf_clear(&bytes);
		chunk_encode(c, &chunk, &bytes);
		assert_null(chunk_decode(c, a, buf_str(&bytes), &back));
		assert_int_equal(back.count, chunk.count);
		assert_null(back.texts);
		assert_memory_equal(back.rows, rows, chunk.count * sizeof(*rows));
		assert_memory_equal(back.steps, steps, chunk.count * sizeof(*steps));
		assert_true(series_same(back.numbers, numbers, chunk.count));
	}
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

/* Regular rows and steps, and steps that follow uneven rows, cost no more than a few bytes. */
static void what_is_regular_costs_nothing(void **state)
{
	static const struct {
		enum row_shape rows;
		enum step_shape steps;
		size_t most;
	} cases[] = {
		{ ROWS_DENSE, STEPS_LIKE_ROWS, 64 }, { ROWS_STRIDED, STEPS_SHIFTED, 64 },
		{ ROWS_STRIDED, STEPS_TENS, 64 },    { ROWS_UNEVEN, STEPS_SHIFTED, 2200 },
		{ ROWS_UNEVEN, STEPS_TENS, 2200 },
	};
	struct arena *a = arena_new(1 << 20);
	struct codec *c = codec_new();
	int64_t *rows = arena_new_array(a, int64_t, CHUNK_VALUES);
	int64_t *steps = arena_new_array(a, int64_t, CHUNK_VALUES);
	double *numbers = arena_new_array(a, double, CHUNK_VALUES);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct chunk chunk = {
			.count = CHUNK_VALUES, .rows = rows, .steps = steps, .numbers = numbers
		};
		struct buf bytes = { 0 };

		fill(cases[i].rows, cases[i].steps, CHUNK_VALUES, rows, steps);
		chunk_encode(c, &chunk, &bytes);
		if (bytes.len > cases[i].most)
			fail_msg("case %zu: %zu bytes", i, bytes.len);
		buf_free(&bytes);
	}
	codec_free(c);
	arena_free(a);
}

static void texts_have_chunks_too(void **state)
{
	static const int64_t rows[] = { 3, 4, 9 };
	static const int64_t steps[] = { 0, 0, 7 };
	static const struct str texts[] = { { "\"a\"", 3 }, { "null", 4 }, { "[1,2]", 5 } };
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct chunk chunk = { .count = 3, .rows = rows, .steps = steps, .texts = texts };
	struct chunk back;
	struct buf bytes = { 0 };

	(void)state;
	chunk_encode(c, &chunk, &bytes);
	assert_null(chunk_decode(c, a, buf_str(&bytes), &back));
	assert_int_equal(back.count, 3);
	assert_null(back.numbers);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(back.rows[i], rows[i]);
		assert_int_equal(back.steps[i], steps[i]);
		assert_true(str_equal(back.texts[i], texts[i]));
	}
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

static void assert_cells_equal(const struct cell *x, const struct cell *y)
{
	const double one[] = { x->first, x->last, x->min, x->max, x->sum };
	const double other[] = { y->first, y->last, y->min, y->max, y->sum };

	assert_int_equal(x->row_first, y->row_first);
	assert_int_equal(x->row_last, y->row_last);
	assert_int_equal(x->step_first, y->step_first);
	assert_int_equal(x->step_last, y->step_last);
	assert_int_equal(x->step_min, y->step_min);
	assert_int_equal(x->step_max, y->step_max);
	assert_true(series_same(one, other, 5));
	assert_int_equal(x->n, y->n);
	assert_int_equal(x->nan, y->nan);
	assert_int_equal(x->pinf, y->pinf);
	assert_int_equal(x->ninf, y->ninf);
}

static void a_cell_sums_up(void **state)
{
	static const double values[] = { (double)NAN, 2, -5, HUGE_VAL, 3, -HUGE_VAL };
	static const int64_t steps[] = { 10, 11, 5, 12, 13, 9 };
	struct cell c = { 0 };

	(void)state;
	for (int i = 0; i < 6; i++)
		cell_add(&c, 100 + i, steps[i], values[i]);
	assert_int_equal(c.row_first, 100);
	assert_int_equal(c.row_last, 105);
	assert_int_equal(c.step_first, 10);
	assert_int_equal(c.step_last, 9);
	assert_int_equal(c.step_min, 5);
	assert_int_equal(c.step_max, 13);
	assert_true(isnan(c.first) && isinf(c.last));
	assert_true(series_same((const double[]){ c.min, c.max, c.sum },
				(const double[]){ -5, 3, 0 }, 3));
	assert_int_equal(c.n, 3);
	assert_int_equal(c.nan, 1);
	assert_int_equal(c.pinf, 1);
	assert_int_equal(c.ninf, 1);
	assert_int_equal(cell_count(&c), 6);
}

static void cells_merge_by_row(void **state)
{
	struct cell one = { 0 }, other = { 0 }, none = { 0 }, whole = { 0 };

	(void)state;
	cell_add(&one, 10, 5, 1);
	cell_add(&one, 20, 6, 2);
	cell_add(&other, 8, 7, 3);
	cell_add(&other, 15, 1, (double)NAN);
	cell_merge(&whole, &none);
	assert_int_equal(cell_count(&whole), 0);
	cell_merge(&whole, &one);
	assert_cells_equal(&whole, &one);
	cell_merge(&whole, &other);
	assert_int_equal(whole.row_first, 8);
	assert_int_equal(whole.step_first, 7);
	assert_int_equal(whole.row_last, 20);
	assert_int_equal(whole.step_min, 1);
	assert_int_equal(whole.step_max, 7);
	assert_int_equal(whole.n, 3);
	assert_int_equal(whole.nan, 1);
	assert_true(series_same((const double[]){ whole.first, whole.last, whole.sum },
				(const double[]){ 3, 2, 6 }, 3));
}

/* Any cut, with a trip through bytes at the cut, gives the same cells as all at once. */
static void a_begun_cell_can_be_continued(void **state)
{
	enum { COUNT = 1000, FIRST = 512 };
	struct arena *a = arena_new(1 << 18);
	struct codec *c = codec_new();
	int64_t rows[COUNT], steps[COUNT];
	double numbers[COUNT];
	struct cell whole[8] = { 0 };
	struct cell_values all = { COUNT, rows, steps, numbers };

	(void)state;
	fill(ROWS_UNEVEN, STEPS_RANDOM, COUNT, rows, steps);
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = series_number(i % 50 ? SERIES_DOUBLE : SERIES_HARD, i, COUNT);
	assert_int_equal(rollup_add(whole, FIRST, &all), 4);
	for (uint32_t cut = 0; cut <= COUNT; cut += 37) {
		struct cell_values head = { cut, rows, steps, numbers };
		struct cell_values rest = { COUNT - cut, rows + cut, steps + cut, numbers + cut };
		struct cell cells[8] = { 0 };
		struct cell *back;
		struct buf bytes = { 0 };
		uint32_t n = rollup_add(cells, FIRST, &head);

		rollup_encode(c, cells, n, &bytes);
		assert_null(rollup_decode(c, a, buf_str(&bytes), &back, &n));
		memset(cells, 0, sizeof(cells));
		if (n)
			memcpy(cells, back, n * sizeof(*back));
		rollup_add(cells + cut / CELL_VALUES, FIRST + cut, &rest);
		for (int i = 0; i < 4; i++)
			assert_cells_equal(&cells[i], &whole[i]);
		buf_free(&bytes);
	}
	codec_free(c);
	arena_free(a);
}

/* What is added at once is, to the bit, what comes one by one, whatever is among it. */
static void rollup_is_of_single_values(void **state)
{
	static const double odd[] = {
		NAN, INFINITY, -INFINITY, 0x1p1000, -0x1p1000, -0.0, 0x1p960
	};
	enum { COUNT = 3 * CELL_VALUES, CELLS = COUNT / CELL_VALUES };
	int64_t rows[COUNT];
	int64_t steps[COUNT];
	double numbers[COUNT];
	const struct cell_values values = { COUNT, rows, steps, numbers };

	(void)state;
	for (size_t o = 0; o < sizeof(odd) / sizeof(odd[0]); o++) {
		for (int at = 0; at < COUNT; at += 51) {
			struct cell single[CELLS] = { 0 };
			struct cell cells[CELLS] = { 0 };

			for (int i = 0; i < COUNT; i++) {
				rows[i] = 10 + i;
				steps[i] = (i * 7) % 100;
				numbers[i] = i == at ? odd[o] : 1.0 / (i - 300.5);
				cell_add(&single[i / CELL_VALUES], rows[i], steps[i], numbers[i]);
			}
			assert_int_equal(rollup_add(cells, 0, &values), CELLS);
			assert_memory_equal(cells, single, sizeof(cells));
		}
	}
}

static void a_rollup_is_small(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct codec *c = codec_new();
	int64_t *rows = arena_new_array(a, int64_t, CHUNK_VALUES);
	double *numbers = arena_new_array(a, double, CHUNK_VALUES);
	struct cell_values values = { CHUNK_VALUES, rows, rows, numbers };
	struct cell cells[CELLS_PER_CHUNK] = { 0 };
	struct buf bytes = { 0 };

	(void)state;
	for (uint32_t i = 0; i < CHUNK_VALUES; i++) {
		rows[i] = i;
		numbers[i] = series_number(SERIES_FLOAT, i, CHUNK_VALUES);
	}
	assert_int_equal(rollup_add(cells, 0, &values), CELLS_PER_CHUNK);
	rollup_encode(c, cells, CELLS_PER_CHUNK, &bytes);
	assert_true(bytes.len < CHUNK_VALUES * 4 / 10);
	buf_free(&bytes);
	codec_free(c);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_come_back_bit_for_bit),
		cmocka_unit_test(what_is_regular_costs_nothing),
		cmocka_unit_test(texts_have_chunks_too),
		cmocka_unit_test(a_cell_sums_up),
		cmocka_unit_test(cells_merge_by_row),
		cmocka_unit_test(a_begun_cell_can_be_continued),
		cmocka_unit_test(rollup_is_of_single_values),
		cmocka_unit_test(a_rollup_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
