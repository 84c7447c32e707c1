/* At which step a run was when; and buckets whose bounds are told. */
#include "series_data.h"

#include "sample.h"
#include "step_clock.h"

#define S INT64_C(1000000)

/* Seconds over steps. */
static struct bucket one(int64_t first, int64_t last, double min, double max)
{
	return (struct bucket){
		.step_first = first, .step_last = last, .min = min, .max = max, .n = 1
	};
}

static void steps_go_on_evenly_between_rows(void **state)
{
	struct arena *a = arena_new(1 << 12);
	struct bucket rows[] = { one(0, 0, 10, 10), one(4, 4, 14, 14), one(10, 10, 15, 15) };
	struct step_clock c = step_clock_make(a, rows, 3);

	(void)state;
	assert_int_equal(step_clock_step(&c, 10 * S), 0);
	assert_int_equal(step_clock_step(&c, 12 * S - 1), 1);
	assert_int_equal(step_clock_step(&c, 12 * S), 2);
	assert_int_equal(step_clock_step(&c, 14 * S - 1), 3);
	assert_int_equal(step_clock_step(&c, 14 * S + S / 2), 7);
	assert_int_equal(step_clock_step(&c, 9 * S), 0);
	assert_int_equal(step_clock_step(&c, 99 * S), 10);
	for (int64_t step = 1; step <= 10; step++) {
		int64_t time = step_clock_time(&c, step);

		assert_int_equal(step_clock_step(&c, time), step);
		assert_int_equal(step_clock_step(&c, time - 1), step - 1);
	}
	assert_int_equal(step_clock_time(&c, 0), 10 * S);
	assert_true(step_clock_time(&c, 11) == INT64_MAX);
	arena_free(a);
}

static void steps_never_go_back(void **state)
{
	struct arena *a = arena_new(1 << 12);
	struct bucket rows[] = { one(0, 0, 0, 0), one(1, 1, 9, 20), one(2, 2, 2, 2),
				 one(5, 7, 8, 8) };
	struct step_clock c = step_clock_make(a, rows, 4);

	(void)state;
	assert_int_equal(step_clock_time(&c, 1), 2 * S);
	assert_int_equal(step_clock_step(&c, 2 * S), 2);
	assert_int_equal(step_clock_step(&c, 8 * S), 7);
	assert_int_equal(step_clock_step(&c, 20 * S), 7);
	assert_int_equal(c.points[c.count - 1].time, 20 * S);
	arena_free(a);
}

/* Which one of cells may do: they lie where their least step is. */
static void the_greatest_step_may_be_of_a_bucket_of_before(void **state)
{
	struct arena *a = arena_new(1 << 12);
	struct bucket rows[] = { one(0, 90, 0, 30), one(50, 60, 10, 20) };
	struct step_clock c = step_clock_make(a, rows, 2);

	(void)state;
	assert_int_equal(step_clock_time(&c, 90), 30 * S);
	assert_int_equal(step_clock_step(&c, 30 * S), 90);
	assert_true(step_clock_time(&c, 91) == INT64_MAX);
	assert_int_equal(step_clock_step(&c, 10 * S), 50);
	arena_free(a);
}

static void rows_of_one_moment_are_its_last(void **state)
{
	struct arena *a = arena_new(1 << 12);
	struct bucket rows[] = { one(0, 0, 5, 5), one(1, 1, 5, 5), one(9, 9, 6, 6) };
	struct step_clock c = step_clock_make(a, rows, 3);

	(void)state;
	assert_int_equal(step_clock_step(&c, 5 * S), 1);
	assert_int_equal(step_clock_step(&c, 0), 1);
	assert_int_equal(step_clock_time(&c, 0), 5 * S);
	arena_free(a);
}

static void large_numbers_do_not_overflow(void **state)
{
	struct arena *a = arena_new(1 << 12);
	const int64_t most = INT64_C(1) << 53;
	struct bucket rows[] = { one(0, 0, 0, 0), one(most, most, 2e11, 2e11) };
	struct step_clock c = step_clock_make(a, rows, 2);

	(void)state;
	assert_int_equal(step_clock_step(&c, 100000000000 * S), most / 2);
	assert_int_equal(step_clock_time(&c, most / 2), 100000000000 * S);
	arena_free(a);
}

static void without_rows_there_is_no_clock(void **state)
{
	struct arena *a = arena_new(1 << 12);
	struct bucket nothing = { .n = 0, .nan = 3 };

	(void)state;
	assert_int_equal(step_clock_make(a, NULL, 0).count, 0);
	assert_int_equal(step_clock_make(a, &nothing, 1).count, 0);
	arena_free(a);
}

static void buckets_have_the_bounds_that_are_told(void **state)
{
	struct arena *a = arena_new(1 << 12);
	static const int64_t edges[] = { 10, 12, 12, 12, 100, 101 };
	static const int64_t places[] = { 9, 10, 11, 12, 99, 100, 101, 11 };
	static const int64_t rows[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const double numbers[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t at[] = { 0, 3, 4 };
	static const uint64_t n[] = { 3, 2, 1 };
	struct sample *s = sample_new(
		a, &(struct sample_shape){
			   .buckets = 5, .points = 8, .scale = SAMPLE_EDGES, .edges = edges });
	struct bucket *b;

	(void)state;
	sample_add_points(s, &(struct cell_values){ 8, rows, places, numbers });
	assert_int_equal(sample_finish(s, &b), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(b[i].at, at[i]);
		assert_int_equal(b[i].n, n[i]);
	}
	arena_free(a);
}

enum { EVERY = 500 };

static uint32_t fill_every(struct arena *a, const struct sample_shape *shape,
			   struct bucket **ret_buckets)
{
	struct sample *s = sample_new(a, shape);

	for (int64_t step = 0; step < EVERY; step++) {
		const double number = 1;

		sample_add_points(s, &(struct cell_values){ 1, &step, &step, &number });
	}
	return sample_finish(s, ret_buckets);
}

static void same_by_edges(const struct sample_shape *shape)
{
	struct arena *a = arena_new(1 << 12);
	int64_t *edges = arena_new_array(a, int64_t, shape->buckets + 1);
	struct sample_shape edged = *shape;
	struct bucket *there;
	struct bucket *found;
	uint32_t count = fill_every(a, shape, &there);

	for (uint32_t i = 0; i < shape->buckets; i++)
		edges[i] = sample_first(shape, i);
	edges[shape->buckets] = shape->step_last + 1;
	edged.scale = SAMPLE_EDGES;
	edged.edges = edges;
	assert_int_equal(edges[0], shape->step_first > 0 ? shape->step_first : 1);
	assert_int_equal(fill_every(a, &edged, &found), count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(found[i].at, there[i].at);
		assert_int_equal(found[i].step_first, there[i].step_first);
		assert_int_equal(found[i].step_last, there[i].step_last);
	}
	arena_free(a);
}

/* Their edges are no whole numbers, and rounded: 3 is before the first one of 3 to 12. */
static void firsts_of_a_logarithmic_axis_are_where_its_buckets_begin(void **state)
{
	static const uint32_t buckets[] = { 1, 2, 3, 40, 300 };

	(void)state;
	for (int64_t first = 0; first <= 120; first++) {
		for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
			same_by_edges(&(struct sample_shape){ .step_first = first,
							      .step_last = 4 * first + 1,
							      .buckets = buckets[i],
							      .points = EVERY,
							      .scale = SAMPLE_WHOLE_LOG });
			same_by_edges(&(struct sample_shape){ .step_first = first ? first : 1,
							      .step_last = first ? first : 1,
							      .buckets = buckets[i],
							      .points = EVERY,
							      .scale = SAMPLE_WHOLE_LOG });
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_go_on_evenly_between_rows),
		cmocka_unit_test(steps_never_go_back),
		cmocka_unit_test(the_greatest_step_may_be_of_a_bucket_of_before),
		cmocka_unit_test(rows_of_one_moment_are_its_last),
		cmocka_unit_test(large_numbers_do_not_overflow),
		cmocka_unit_test(without_rows_there_is_no_clock),
		cmocka_unit_test(buckets_have_the_bounds_that_are_told),
		cmocka_unit_test(firsts_of_a_logarithmic_axis_are_where_its_buckets_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
