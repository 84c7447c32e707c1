/* Dimensions of a search from the parameters of a config. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "arena.h"
#include "sweep_config.h"
#include "sweep_dimension.h"
#include "sweep_value.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-12))
		fail_msg("%.15g is not %.15g", value, expected);
}

static struct sweep_value number(int64_t whole)
{
	return (struct sweep_value){ .kind = SWEEP_INT, .whole = whole };
}

static struct sweep_value text(const char *word)
{
	return (struct sweep_value){ .kind = SWEEP_TEXT, .text = str_of(word) };
}

static void kinds_of_parameters(void **state)
{
	const struct sweep_value sizes[] = { number(16), number(32), number(64) };
	const struct sweep_value mixed[] = { number(16), number(64), number(32) };
	const struct sweep_value words[] = { text("a"), text("b") };
	const struct sweep_parameter parameters[] = {
		{ .kind = SWEEP_CATEGORICAL, .values = sizes, .value_count = 3 },
		{ .kind = SWEEP_CATEGORICAL, .values = mixed, .value_count = 3 },
		{ .kind = SWEEP_CONSTANT, .values = sizes, .value_count = 1 },
		{ .kind = SWEEP_CATEGORICAL, .values = words, .value_count = 2 },
		{ .kind = SWEEP_INT_UNIFORM, .whole_min = -3, .whole_max = 3 },
		{ .kind = SWEEP_Q_LOG_UNIFORM_VALUES, .min = 1, .max = 1000, .q = 5 },
		{ .kind = SWEEP_Q_LOG_UNIFORM, .min = 0, .max = 5, .q = 1 },
		{ .kind = SWEEP_LOG_UNIFORM_VALUES, .min = 1, .max = 1000 },
		{ .kind = SWEEP_Q_NORMAL, .mu = 10, .sigma = 4, .q = 3 },
	};
	const struct sweep_config c = { .parameters = parameters,
					.parameter_count = COUNT(parameters) };
	struct arena *a = arena_new(1 << 12);
	size_t count;
	const struct sweep_dimension *d = sweep_dimensions_make(a, &c, &count);

	(void)state;
	assert_int_equal(count, COUNT(parameters) - 1); /* without the constant */
	assert_true(d[0].kind == SWEEP_DIMENSION_CATEGORICAL && d[0].count == 3 && d[0].is_ordered);
	assert_false(d[1].is_ordered);
	assert_true(d[2].count == 2 && !d[2].is_ordered);
	assert_true(d[3].kind == SWEEP_DIMENSION_WHOLE && d[3].count == 7);
	assert_true(d[4].scale == SWEEP_SCALE_LOG && d[4].low == 0 && d[4].step == 5);
	assert_near(d[4].high, log(1000));
	assert_true(d[5].scale == SWEEP_SCALE_LOG && d[5].high == 5 && d[5].step == 1);
	assert_true(d[6].scale == SWEEP_SCALE_LINEAR && d[6].high == 1 && d[6].step == 0);
	assert_true(d[7].scale == SWEEP_SCALE_NORMAL && d[7].low == 10 && d[7].step == 3);
	arena_free(a);
}

/*
 * "deep" needs "kind" to be "a" or 1.0, "layers" needs deep to be 2 or 3, "extra" needs the constant, which itself needs
 * deep to be 1, and "never" needs the constant to have another value.
 */
static void conditions_of_parameters(void **state)
{
	const struct sweep_value kinds[] = { text("a"), text("b"), number(1) };
	const struct sweep_value one = { .kind = SWEEP_REAL, .real = 1.0 };
	const struct sweep_value wanted[] = { text("a"), one },
				 two[] = { number(2), number(3), number(99) };
	const struct sweep_value first[] = { number(1) }, constant[] = { number(7) },
				 other[] = { number(8) };
	const struct sweep_condition on_kind = { 4, wanted, 2 }, on_deep = { 1, two, 3 },
				     on_one = { 1, first, 1 };
	const struct sweep_condition on_constant = { 0, constant, 1 }, on_other = { 0, other, 1 };
	const struct sweep_parameter parameters[] = {
		{ .kind = SWEEP_CONSTANT,
		  .values = constant,
		  .value_count = 1,
		  .conditions = &on_one,
		  .condition_count = 1 },
		{ .kind = SWEEP_INT_UNIFORM,
		  .whole_min = 1,
		  .whole_max = 4,
		  .min = 1,
		  .max = 4,
		  .conditions = &on_kind,
		  .condition_count = 1 },
		{ .kind = SWEEP_UNIFORM, .max = 1, .conditions = &on_deep, .condition_count = 1 },
		{ .kind = SWEEP_UNIFORM,
		  .max = 1,
		  .conditions = &on_constant,
		  .condition_count = 1 },
		{ .kind = SWEEP_CATEGORICAL, .values = kinds, .value_count = 3 },
		{ .kind = SWEEP_UNIFORM, .max = 1, .conditions = &on_other, .condition_count = 1 },
	};
	static const struct {
		double kind, deep;
		bool has_deep, has_layers, has_extra;
	} cases[] = {
		{ 0.1, 0.1, true, false, true },   { 0.1, 0.4, true, true, false },
		{ 0.1, 0.6, true, true, false },   { 0.1, 0.9, true, false, false },
		{ 0.5, 0.4, false, false, false }, { 0.9, 0.4, true, true, false },
	};
	const struct sweep_config c = { .parameters = parameters,
					.parameter_count = COUNT(parameters) };
	struct arena *a = arena_new(1 << 12);
	size_t count;
	const struct sweep_dimension *d = sweep_dimensions_make(a, &c, &count);

	(void)state;
	assert_int_equal(count, 5);
	for (size_t i = 0; i < COUNT(cases); i++) {
		double u[] = { cases[i].deep, 0.5, 0.5, cases[i].kind, 0.5 };

		sweep_dimensions_snap(d, count, u);
		assert_int_equal(!isnan(u[0]), cases[i].has_deep);
		assert_int_equal(!isnan(u[1]), cases[i].has_layers);
		assert_int_equal(!isnan(u[2]), cases[i].has_extra);
		assert_true(isnan(u[4]));
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_parameters),
		cmocka_unit_test(conditions_of_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
