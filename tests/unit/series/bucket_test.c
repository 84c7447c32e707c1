/* What is made of finished buckets: rates of counters, and several writers' buckets as one. */
#include "series_data.h"

#include "bucket.h"

enum { BUCKETS = 8 };

static struct bucket one(uint32_t at, double value)
{
	return (struct bucket){ .at = at,
				.step_first = at,
				.step_last = at,
				.row_first = at,
				.row_last = at,
				.first = value,
				.last = value,
				.min = value,
				.max = value,
				.mean = value,
				.n = 1 };
}

static void counters_have_rates(void **state)
{
	struct bucket b[] = { one(0, 100), one(1, 110), one(4, 140), one(5, 4), one(6, 4) };
	static const double wanted[] = { 100, 100, 40, 0 };

	(void)state;
	assert_int_equal(bucket_rates(b, 5, 10), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(b[i].mean == wanted[i] && b[i].min == wanted[i] &&
			    b[i].last == wanted[i]);
		assert_int_equal(b[i].n, 1);
	}
	assert_int_equal(b[0].at, 1);
	assert_int_equal(b[1].at, 4);
}

static void a_bucket_of_several_has_a_rate_of_its_own(void **state)
{
	struct bucket b = one(0, 5);

	(void)state;
	b.first = 1;
	b.step_last = 20;
	b.n = 3;
	assert_int_equal(bucket_rates(&b, 1, 1), 1);
	assert_true(b.mean == 0.2);
}

static void what_is_not_finite_has_no_rate(void **state)
{
	struct bucket b[] = { one(0, (double)NAN), one(1, 10), one(2, HUGE_VAL), one(3, 30) };
	struct bucket single = one(0, 7);

	(void)state;
	assert_int_equal(bucket_rates(b, 4, 1), 1);
	assert_int_equal(b[0].at, 3);
	assert_true(b[0].mean == 10);
	assert_int_equal(bucket_rates(&single, 1, 1), 0);
	assert_int_equal(bucket_rates(NULL, 0, 1), 0);
}

static void several_are_one(void **state)
{
	struct bucket all[BUCKETS] = { 0 };
	struct bucket a[] = { one(1, 10), one(3, -HUGE_VAL) };
	struct bucket b[] = { one(1, 40), one(3, 5), one(7, 1e308) };

	(void)state;
	a[1] = (struct bucket){ .at = 3, .min = (double)NAN, .max = (double)NAN, .ninf = 2 };
	b[0].n = 2;
	b[0].row_first = 0;
	b[0].step_last = 9;
	bucket_join(all, a, 2);
	bucket_join(all, b, 3);
	bucket_join(all, NULL, 0);
	assert_int_equal(bucket_pack(all, BUCKETS), 3);
	assert_true(all[0].at == 1 && all[0].n == 3 && all[0].min == 10 && all[0].max == 40);
	assert_true(all[0].mean > 29.999 && all[0].mean < 30.001);
	assert_true(all[0].first == 40 && all[0].last == 10 && all[0].step_last == 9);
	assert_true(all[1].at == 3 && all[1].n == 1 && all[1].ninf == 2 && all[1].mean == 5);
	assert_true(all[1].min == 5 && all[1].max == 5);
	assert_true(all[2].mean == 1e308);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_have_rates),
		cmocka_unit_test(a_bucket_of_several_has_a_rate_of_its_own),
		cmocka_unit_test(what_is_not_finite_has_no_rate),
		cmocka_unit_test(several_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
