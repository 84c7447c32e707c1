/* Spaces of sweeps: counts, indexes of points and back, conditions, grids. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "sweep_draw.h"
#include "sweep_grid.h"
#include "sweep_space.h"

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static const struct sweep_space *space(const char *method, const char *parameters)
{
	const struct sweep_config *c;
	struct sweep_faults faults;
	err_t e = sweep_config_read(
		arena,
		str_of(arena_printf(arena, "method: %s\nmetric: {name: x}\nparameters: %s\n",
				    method, parameters)),
		&c, &faults);

	if (e)
		fail_msg("%s: %s", parameters, err_chain(arena, e));
	return sweep_space_new(arena, c);
}

static const char *params_at(const struct sweep_space *s, int64_t point)
{
	struct sweep_value values[100];

	sweep_space_values(s, point, values);
	return str_copy(arena, sweep_space_params(arena, s, values));
}

static int64_t point_of(const struct sweep_space *s, const char *json)
{
	const struct sweep_value *v;

	assert_null(sweep_value_read_json(arena, str_of(json), &v));
	return sweep_space_point_of(s, v);
}

/* All points in order, with blanks between them. */
static const char *all_points(const struct sweep_space *s)
{
	struct buf *b = buf_new(arena);

	for (int64_t p = sweep_space_from(s, 0); p != SWEEP_POINT_NONE;
	     p = sweep_space_from(s, p + 1)) {
		if (b->len)
			buf_add_byte(b, ' ');
		buf_add_text(b, params_at(s, p));
	}
	return str_copy(arena, buf_str(b));
}

/* ---- counts and values of a grid -------------------------------------------------------------------------------------------- */

static void steps_of_a_grid_are_those_of_wandb(void **state)
{
	static const struct {
		double min, max, q;
		int64_t count;
	} rows[] = { { 0, 1, .25, 4 }, { 0, 10, 3, 4 }, { -9.211, 23.23, 2.341, 14 },
		     { 0, .3, .1, 3 }, { 1, 10, 1, 9 }, { 0, 1, .1, 10 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct sweep_parameter p = { .min = rows[i].min,
						   .max = rows[i].max,
						   .q = rows[i].q };

		assert_int_equal(sweep_grid_steps(&p), rows[i].count);
	}
	assert_string_equal(
		all_points(space("grid", "{a: {distribution: q_uniform, min: 0, max: 10, q: 3}}")),
		"{\"a\":0} {\"a\":3} {\"a\":6} {\"a\":9}");
	assert_string_equal(
		all_points(space("grid", "{a: {distribution: q_uniform, min: 0, max: 1, q: .25}}")),
		"{\"a\":0.0} {\"a\":0.25} {\"a\":0.5} {\"a\":0.75}");
	assert_string_equal(
		all_points(space("grid", "{a: {distribution: q_uniform, min: 1, max: 2, q: .1}}")),
		"{\"a\":1.0} {\"a\":1.1} {\"a\":1.2000000000000002} {\"a\":1.3000000000000003} {\"a\":1.4000000000000004} "
		"{\"a\":1.5000000000000004} {\"a\":1.6000000000000005} {\"a\":1.7000000000000006} "
		"{\"a\":1.8000000000000007} {\"a\":1.9000000000000008}");
	assert_non_null(strstr(
		all_points(space("grid", "{a: {distribution: q_uniform, min: 0, max: 1, q: .1}}")),
		"0.30000000000000004"));
	/* the default of q is 1.0, so the values are floats */
	assert_non_null(
		strstr(all_points(space("grid", "{a: {distribution: q_uniform, min: 1, max: 10}}")),
		       "{\"a\":9.0}"));
}

static void grids_are_in_the_order_of_wandb(void **state)
{
	static const char *const rows[][2] = {
		{ "{a: {values: [x, y]}, b: {values: [1, 2]}, c: {value: 7}}",
		  "{\"a\":\"x\",\"b\":1,\"c\":7} {\"a\":\"x\",\"b\":2,\"c\":7} {\"a\":\"y\",\"b\":1,\"c\":7} {\"a\":\"y\",\"b\":2,\"c\":7}" },
		{ "{a: {values: [true, 1, 1.0, '1']}, z: {parameters: {n: {values: [1, 2]}, m: {value: .5}}}}",
		  "{\"a\":true,\"z\":{\"m\":0.5,\"n\":1}} {\"a\":true,\"z\":{\"m\":0.5,\"n\":2}} "
		  "{\"a\":1.0,\"z\":{\"m\":0.5,\"n\":1}} {\"a\":1.0,\"z\":{\"m\":0.5,\"n\":2}} "
		  "{\"a\":\"1\",\"z\":{\"m\":0.5,\"n\":1}} {\"a\":\"1\",\"z\":{\"m\":0.5,\"n\":2}}" },
		{ "{a: {values: [3, 1, 3, 2]}}", "{\"a\":3} {\"a\":1} {\"a\":2}" },
		{ "{a: {min: 1, max: 3}, b: {distribution: q_uniform, min: 0, max: 1, q: .5}}",
		  "{\"a\":1,\"b\":0.0} {\"a\":1,\"b\":0.5} {\"a\":2,\"b\":0.0} {\"a\":2,\"b\":0.5} {\"a\":3,\"b\":0.0} {\"a\":3,\"b\":0.5}" },
		{ "{a: {values: [1, 2]}, A: {values: [1, 2]}, B: {value: 1}}",
		  "{\"A\":1,\"B\":1,\"a\":1} {\"A\":1,\"B\":1,\"a\":2} {\"A\":2,\"B\":1,\"a\":1} {\"A\":2,\"B\":1,\"a\":2}" },
		{ "{a: {value: 1}, b: {value: [2, {x: .nan}]}}",
		  "{\"a\":1,\"b\":[2,{\"x\":NaN}]}" },
		{ "{a: {values: [.nan, .nan, null, [1.0], [1]]}}",
		  "{\"a\":NaN} {\"a\":null} {\"a\":[1.0]} {\"a\":[1]}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(all_points(space("grid", rows[i][0])), rows[i][1]);
}

/* 9 points in the tests of the SDK. */
static void counts_are_those_of_different_points(void **state)
{
	static const struct {
		const char *method, *parameters;
		int64_t count;
	} rows[] = {
		{ "grid", "{a: {values: [1, 2, 3]}}", 3 },
		{ "grid", "{a: {values: [1, 2, 3]}, b: {parameters: {c: {values: [1, 2, 3]}}}}",
		  9 },
		{ "grid", "{a: {values: [1, 1.0, true, '1']}}", 3 },
		{ "grid", "{a: {value: 1}}", 1 },
		{ "grid", "{a: {min: 0, max: 999999}, b: {min: 1, max: 1000000}}",
		  INT64_C(1000000000000) },
		{ "random", "{a: {min: 0.0, max: 1.0}}", SWEEP_COUNT_INFINITE },
		{ "random", "{a: {min: 0.0, max: 1.0}, b: {values: [1, 2]}}",
		  SWEEP_COUNT_INFINITE },
		{ "random", "{a: {distribution: q_normal, q: 1}}", SWEEP_COUNT_INFINITE },
		{ "random", "{a: {distribution: q_uniform, min: 1, max: 10, q: 3}}",
		  4 }, /* 0 3 6 9 */
		{ "random", "{a: {distribution: q_uniform, min: 0, max: 10, q: 2.5}}",
		  5 }, /* with 10 */
		{ "random", "{a: {distribution: q_log_uniform_values, min: 1, max: 1000, q: 5}}",
		  201 },
		{ "random", "{a: {distribution: q_beta, q: 0.1}}", 11 },
		{ "random", "{a: {distribution: q_uniform, min: 0, max: 1, q: 1.0e-17}}",
		  SWEEP_COUNT_INFINITE },
		{ "random", "{a: {distribution: q_log_uniform, min: 0, max: 100, q: 1}}",
		  SWEEP_COUNT_INFINITE },
		{ "random",
		  "{a: {min: 0, max: 9007199254740991}, b: {min: 0, max: 9007199254740991}}",
		  SWEEP_COUNT_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct sweep_space *s = space(rows[i].method, rows[i].parameters);

		if (sweep_space_count(s) != rows[i].count)
			fail_msg("%s has %lld points", rows[i].parameters,
				 (long long)sweep_space_count(s));
		assert_int_equal(sweep_space_has_points(s),
				 rows[i].count > 0 && rows[i].count < SWEEP_COUNT_MAX);
	}
}

/* ---- from values to points -------------------------------------------------------------------------------------------------- */

static void values_find_their_point(void **state)
{
	const struct sweep_space *s = space(
		"grid",
		"{a: {values: [true, 1, x, {k: 1, l: [2]}]}, b: {parameters: {c: {min: 5, max: 7}}}, d: {value: 1}}");

	(void)state;
	assert_int_equal(point_of(s, "{\"a\":true,\"b\":{\"c\":5}}"), 0);
	assert_int_equal(point_of(s, "{\"a\":1.0,\"b\":{\"c\":6.0},\"d\":99}"), 4);
	assert_int_equal(point_of(s, "{\"a\":\"x\",\"b\":{\"c\":7},\"more\":[1]}"), 8);
	assert_int_equal(point_of(s, "{\"a\":{\"l\":[2],\"k\":1.0},\"b\":{\"c\":5}}"),
			 SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "{\"a\":{\"l\":[2],\"k\":1},\"b\":{\"c\":5}}"), 9);
	/* names that no value of the list has are what the run's code added */
	assert_int_equal(point_of(s, "{\"a\":{\"l\":[2],\"added\":3,\"k\":1},\"b\":{\"c\":5}}"), 9);
	assert_int_equal(point_of(s, "{\"a\":1,\"b\":{\"c\":8}}"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "{\"a\":1,\"b\":{\"c\":5.5}}"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "{\"a\":1,\"b\":{\"c\":\"5\"}}"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "{\"a\":1}"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "{\"a\":1,\"b\":5}"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(s, "[]"), SWEEP_POINT_NONE);
	assert_int_equal(point_of(space("grid", "{a: {value: 1}}"), "{}"), 0);
}

static void check_round_trip(const struct sweep_space *s)
{
	int64_t count = 0;

	for (int64_t p = sweep_space_from(s, 0); p != SWEEP_POINT_NONE;
	     p = sweep_space_from(s, p + 1)) {
		assert_int_equal(point_of(s, params_at(s, p)), p);
		assert_true(p < sweep_space_end(s));
		count++;
	}
	assert_int_equal(count, sweep_space_count(s));
}

static const char *const finite_spaces[][2] = {
	{ "grid",
	  "{a: {distribution: q_uniform, min: -9.211, max: 23.23, q: 2.341}, b: {values: [1, 1.5, [1], {x: 1}]}}" },
	{ "random",
	  "{a: {distribution: q_uniform, min: -9.211, max: 23.23, q: .1}, b: {min: -3, max: 3}}" },
	{ "random",
	  "{a: {distribution: q_log_uniform, min: 0, max: 5, q: 1}, b: {distribution: q_beta, q: .01, a: 2, b: 5}}" },
	{ "random", "{a: {distribution: q_log_uniform_values, min: 1, max: 1000, q: 5}}" },
	{ "random",
	  "{a: {values: [x, y, z], probabilities: [.2, .3, .5]}, b: {values: [1, 1, 2]}}" },
	{ "grid",
	  "{opt: {values: [sgd, adam, none]}, momentum: {values: [0, 1], when: {opt: sgd}}, beta: {min: 1, max: 3, when: "
	  "{opt: [adam]}}, nesterov: {values: [true, false], when: {momentum: 1}}, z: {values: [1, 2]}}" },
	{ "random",
	  "{a: {values: [1, 2, 3]}, b: {min: 1, max: 9, when: {a: [2, 3]}}, c: {values: [x, y], when: {b: [4, 5]}}, "
	  "d: {value: 1, when: {c: x}}, e: {values: [p, q], when: {d: 1}}, k: {value: 2}, f: {values: [7, 8], when: {k: 2}}, "
	  "g: {values: [7, 8], when: {k: 3}}}" },
};

static void points_and_values_go_round(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(finite_spaces) / sizeof(*finite_spaces); i++)
		check_round_trip(space(finite_spaces[i][0], finite_spaces[i][1]));
}

static void draws_are_points(void **state)
{
	(void)state;
	for (size_t i = 1; i < sizeof(finite_spaces) / sizeof(*finite_spaces); i++) {
		const struct sweep_space *s = space(finite_spaces[i][0], finite_spaces[i][1]);
		struct sweep_draw draw = sweep_draw_begin(1, 1);
		struct sweep_value values[20];
		double u[20];

		for (int n = 0; n < 2000; n++) {
			int64_t point;

			for (size_t k = 0; k < sweep_space_dimensions(s); k++)
				u[k] = sweep_draw_unit(&draw);
			sweep_space_draw(s, u, values);
			point = sweep_space_point(s, values);
			assert_int_not_equal(point, SWEEP_POINT_NONE);
			assert_int_equal(sweep_space_from(s, point), point);
		}
	}
}

/* ---- conditions --------------------------------------------------------------------------------------------------------------- */

static void parameters_are_left_out_by_their_conditions(void **state)
{
	const struct sweep_space *s = space(
		"grid",
		"{opt: {values: [sgd, adam]}, a_momentum: {values: [0, 1], when: {opt: sgd}}, "
		"n: {parameters: {x: {values: [5], when: {opt: adam}}}}}");

	(void)state;
	assert_string_equal(all_points(s),
			    "{\"a_momentum\":0,\"opt\":\"sgd\"} {\"a_momentum\":1,\"opt\":\"sgd\"} "
			    "{\"n\":{\"x\":5},\"opt\":\"adam\"}");
	assert_int_equal(sweep_space_count(s), 3);
	/* a value that is not part of the point is ignored */
	assert_int_equal(point_of(s, "{\"opt\":\"adam\",\"a_momentum\":1,\"n\":{\"x\":5}}"),
			 point_of(s, "{\"opt\":\"adam\",\"n\":{\"x\":5}}"));
	assert_int_equal(point_of(s, "{\"opt\":\"adam\",\"a_momentum\":1}"), SWEEP_POINT_NONE);
}

/* The least and the greatest point on both sides of each number, against a walk over all numbers. */
static void points_next_to_any_number_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(finite_spaces) / sizeof(*finite_spaces); i++) {
		const struct sweep_space *s = space(finite_spaces[i][0], finite_spaces[i][1]);
		int64_t end = sweep_space_end(s);
		int64_t last = SWEEP_POINT_NONE;

		assert_in_range(end, 1, 100000);
		for (int64_t n = 0; n < end; n++) {
			struct arena_mark mark = arena_mark(arena);

			if (sweep_space_from(s, n) == n) {
				assert_int_equal(point_of(s, params_at(s, n)), n);
				last = n;
			}
			assert_int_equal(sweep_space_before(s, n), last);
			assert_true(sweep_space_from(s, n) == SWEEP_POINT_NONE ||
				    sweep_space_from(s, n) >= n);
			arena_rewind(arena, &mark);
		}
		assert_int_equal(sweep_space_from(s, end), SWEEP_POINT_NONE);
		assert_int_equal(sweep_space_before(s, -1), SWEEP_POINT_NONE);
		assert_int_equal(sweep_space_before(s, INT64_MAX), last);
	}
}

static void counts_with_conditions_do_not_enumerate(void **state)
{
	struct buf *b = buf_new(arena);

	(void)state;
	/* 20 pairs that nothing connects: (1 + 1000)^20 is beyond 2^62 */
	buf_add_text(b, "{");
	for (int i = 0; i < 20; i++)
		buf_printf(b, "a%d: {values: [0, 1]}, b%d: {min: 1, max: 1000, when: {a%d: 1}}, ",
			   i, i, i);
	buf_add_text(b, "}");
	assert_true(sweep_space_count(space("random", str_copy(arena, buf_str(b)))) ==
		    SWEEP_COUNT_MAX);
	/* 30 that are all connected, with 2^30 ways to choose */
	b = buf_new(arena);
	buf_add_text(b, "{z: {values: [0, 1]}, y: {values: [0, 1], when: {");
	for (int i = 0; i < SWEEP_CONDITIONS_MAX; i++)
		buf_printf(b, "a%d: 1, ", i);
	buf_add_text(b, "}}");
	for (int i = 0; i < 30; i++)
		buf_printf(
			b,
			", a%d: {values: [0, 1], when: {z: [0, 1]}}, b%d: {values: [0, 1], when: {a%d: 1}}",
			i, i, i);
	buf_add_text(b, "}");
	assert_true(sweep_space_count(space("random", str_copy(arena, buf_str(b)))) ==
		    SWEEP_COUNT_MAX);
	assert_int_equal(
		sweep_space_count(space(
			"grid",
			"{a: {min: 1, max: 1000000}, b: {min: 1, max: 1000000, when: {a: 7}}}")),
		1999999);
}

/* ---- free points -------------------------------------------------------------------------------------------------------------- */

static void the_next_point_of_a_grid_is_the_least_free_one(void **state)
{
	const struct sweep_space *s =
		space("grid", "{a: {min: 0, max: 999999}, b: {min: 1, max: 1000000}}");
	const int64_t taken[] = { 0, 1, 1, 2, 4 };
	struct sweep_value values[2];

	(void)state;
	assert_int_equal(sweep_grid_next(s, taken, 0), 0);
	assert_int_equal(sweep_grid_next(s, taken, 5), 3);
	assert_int_equal(sweep_grid_next(s, taken + 4, 1), 0);
	sweep_space_values(s, INT64_C(999999999999), values);
	assert_int_equal(values[0].whole, 999999);
	assert_int_equal(values[1].whole, 1000000);
	s = space("grid", "{a: {values: [1, 2, 3]}}");
	assert_int_equal(sweep_grid_next(s, (const int64_t[]){ 0, 1, 2 }, 3), SWEEP_POINT_NONE);
}

static void the_nearest_free_point_is_found(void **state)
{
	const struct sweep_space *s = space("random", "{a: {min: 0, max: 9}}");
	const int64_t taken[] = { 0, 1, 4, 5, 6, 8, 9 };

	(void)state;
	assert_int_equal(sweep_grid_nearest(s, taken, 7, 0), 2);
	assert_int_equal(sweep_grid_nearest(s, taken, 7, 3), 3);
	assert_int_equal(sweep_grid_nearest(s, taken, 7, 5), 3); /* 3 and 7 are equally near */
	assert_int_equal(sweep_grid_nearest(s, taken, 7, 6), 7);
	assert_int_equal(sweep_grid_nearest(s, taken, 7, 9), 7);
	assert_int_equal(sweep_grid_nearest(s, (const int64_t[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 },
					    10, 5),
			 SWEEP_POINT_NONE);
}

/* ---- what agents get ------------------------------------------------------------------------------------------------------------ */

static void parameters_are_written_as_agents_get_them(void **state)
{
	const struct sweep_space *s = space(
		"random",
		"{lr: {min: 0.0, max: 1.0}, opt: {parameters: {name: {values: [sgd]}, deep: "
		"{parameters: {x: {value: 1}, y: {value: 2.0}}}}}, 'a\"b': {value: \xc3\xa4}}");
	const double u[] = { 0.5, 0.5 };
	struct sweep_value values[5];

	(void)state;
	sweep_space_draw(s, u, values);
	assert_string_equal(
		str_copy(arena, sweep_space_params(arena, s, values)),
		"{\"a\\\"b\":\"\xc3\xa4\",\"lr\":0.5,\"opt\":{\"deep\":{\"x\":1,\"y\":2.0},\"name\":\"sgd\"}}");
	assert_string_equal(str_copy(arena, sweep_space_args(arena, s, values)),
			    "{\"a\\\"b\":{\"value\":\"\xc3\xa4\"},\"lr\":{\"value\":0.5},"
			    "\"opt\":{\"value\":{\"deep\":{\"x\":1,\"y\":2.0},\"name\":\"sgd\"}}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_a_grid_are_those_of_wandb),
		cmocka_unit_test(grids_are_in_the_order_of_wandb),
		cmocka_unit_test(counts_are_those_of_different_points),
		cmocka_unit_test(values_find_their_point),
		cmocka_unit_test(points_and_values_go_round),
		cmocka_unit_test(draws_are_points),
		cmocka_unit_test(parameters_are_left_out_by_their_conditions),
		cmocka_unit_test(points_next_to_any_number_are_found),
		cmocka_unit_test(counts_with_conditions_do_not_enumerate),
		cmocka_unit_test(the_next_point_of_a_grid_is_the_least_free_one),
		cmocka_unit_test(the_nearest_free_point_is_found),
		cmocka_unit_test(parameters_are_written_as_agents_get_them),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
