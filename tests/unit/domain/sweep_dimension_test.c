/* Dimensions of a search: intervals of values, and conditions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "sweep_dimension.h"

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-12))
		fail_msg("%.15g is not %.15g", value, expected);
}

static void assert_interval(const struct sweep_dimension *d, double u, double low, double high)
{
	struct sweep_span interval = sweep_dimension_interval(d, u);

	assert_near(interval.low, low);
	assert_near(interval.high, high);
}

static void choices_and_integers(void **state)
{
	static const double weights[] = { 0.2, 0, 0.3, 0.5 };
	static const struct sweep_dimension three = { .kind = SWEEP_DIMENSION_CATEGORICAL,
						      .count = 3 };
	static const struct sweep_dimension whole = { .kind = SWEEP_DIMENSION_WHOLE, .count = 4 };
	static const struct sweep_dimension weighed = { .kind = SWEEP_DIMENSION_CATEGORICAL,
							.count = 4,
							.weights = weights };

	(void)state;
	assert_interval(&three, 0.5, 1.0 / 3, 2.0 / 3);
	assert_interval(&whole, 0.99, 0.75, 1);
	assert_interval(&whole, 1, 0.75, 1);
	assert_interval(&whole, 0, 0, 0.25);
	assert_interval(&weighed, 0.1, 0, 0.2);
	assert_interval(&weighed, 0.2, 0.2, 0.5);
	assert_interval(&weighed, 0.9, 0.5, 1);
	/* From the end of an interval, where samples are, to its middle. */
	for (int64_t i = 0; i < 4; i++) {
		assert_near(sweep_dimension_inside(&whole, sweep_dimension_end(&whole, i)),
			    0.125 + 0.25 * (double)i);
		assert_int_equal(sweep_dimension_index(&whole, 0.125 + 0.25 * (double)i), i);
	}
	assert_near(sweep_dimension_inside(&weighed, 0.2), 0.1);
	assert_near(sweep_dimension_inside(&weighed, 0.5), 0.35);
	assert_near(sweep_dimension_inside(&weighed, 1), 0.75);
	assert_true(isnan(sweep_dimension_inside(&weighed, NAN)));
	assert_near(sweep_dimension_snap(&three, 0.01), 1.0 / 6);
}

static void steps(void **state)
{
	static const struct sweep_dimension linear = { .high = 1, .step = 0.5 };
	/* 1 to 10 by 3: the values are 0, 3, 6 and 9, of which 0 has the interval from 1 to 1.5. */
	static const struct sweep_dimension outside = { .low = 1, .high = 10, .step = 3 };
	const struct sweep_dimension logarithmic = { .scale = SWEEP_SCALE_LOG,
						     .high = log(1000),
						     .step = 5 };
	static const struct sweep_dimension normal = {
		.scale = SWEEP_SCALE_NORMAL, .low = 10, .high = 4, .step = 3
	};

	(void)state;
	assert_interval(&linear, 0.1, 0, 0.25);
	assert_interval(&linear, 0.6, 0.25, 0.75);
	assert_interval(&linear, 1, 0.75, 1);
	assert_near(sweep_dimension_snap(&linear, 0.6), 0.5);
	assert_interval(&outside, 0.01, 0, 0.5 / 9);
	assert_interval(&outside, 0.99, 6.5 / 9, 1);
	assert_near(sweep_dimension_snap(&outside, 0.01), 0);
	assert_interval(&logarithmic, 0.5, log(27.5) / log(1000), log(32.5) / log(1000));
	assert_interval(&logarithmic, 0.01, 0, log(2.5) / log(1000));
	assert_near(sweep_dimension_interval(&normal, 0.5).low,
		    0.26598552904870054); /* 9, from 7.5 */
	assert_near(sweep_dimension_interval(&normal, 0.5).high, 0.54973822483011272); /* to 10.5 */
	assert_true(sweep_dimension_is_finite(&linear) && sweep_dimension_is_finite(&logarithmic));
	assert_false(sweep_dimension_is_finite(&normal));
}

static void what_depends_on_an_absent_parameter_is_absent(void **state)
{
	static const struct sweep_span half = { 0, 0.5 };
	static const struct sweep_activation on_third = { 2, &half, 1 }, on_first = { 0, &half, 1 };
	static const struct sweep_activation never = { 2, NULL, 0 };
	static const struct sweep_dimension some[] = {
		{ .high = 1, .conditions = &on_third, .condition_count = 1 },
		{ .high = 1, .conditions = &on_first, .condition_count = 1 },
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 2 },
		{ .high = 1, .conditions = &never, .condition_count = 1 },
	};
	double all[] = { 0.3, 0.3, 0.1, 0.5 }, none[] = { 0.3, 0.3, 0.9, 0.5 },
	       one[] = { 0.7, 0.3, 0.1, 0.5 };

	(void)state;
	sweep_dimensions_snap(some, 4, all);
	assert_true(all[0] == 0.3 && all[1] == 0.3 && all[2] == 0.25 && isnan(all[3]));
	sweep_dimensions_snap(some, 4, none);
	assert_true(isnan(none[0]) && isnan(none[1]) && none[2] == 0.75);
	sweep_dimensions_snap(some, 4, one);
	assert_true(one[0] == 0.7 && isnan(one[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_and_integers),
		cmocka_unit_test(steps),
		cmocka_unit_test(what_depends_on_an_absent_parameter_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
