/* Bayesian search of sweeps: what it suggests from given samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arena.h"
#include "sweep_bayes.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_sample.h"

#define SAME_SEED 0x1.d9e1c799b269ap-2

enum { MOST = 300, WIDTH = 3 };

static const struct sweep_dimension line[] = { { .kind = SWEEP_DIMENSION_REAL, .high = 1 } };

struct scene {
	struct arena *arena;
	const struct sweep_dimension *dimension;
	size_t dimensions;
	double x[MOST * WIDTH], y[MOST], pending[MOST * WIDTH];
	size_t count, pending_count;
};

static struct scene scene_new(const struct sweep_dimension *d, size_t count)
{
	return (struct scene){ .arena = arena_new(1 << 12), .dimension = d, .dimensions = count };
}

static const char *next(struct scene *s, int64_t trial, double *u)
{
	const struct sweep_samples samples = {
		.dimensions = s->dimensions,
		.dimension = s->dimension,
		.count = s->count,
		.x = s->x,
		.y = s->y,
		.pending = s->pending_count,
		.pending_x = s->pending,
	};
	struct sweep_draw draw = sweep_draw_begin(3, trial);
	const char *note = "";

	sweep_bayes_next(s->arena, &samples, &draw, u, &note);
	return note;
}

static void add(struct scene *s, double x, double y)
{
	s->x[s->count] = x;
	s->y[s->count++] = y;
}

/* The set A of the process's test. */
static struct scene four_points(void)
{
	struct scene s = scene_new(line, 1);

	add(&s, 0.1, 4);
	add(&s, 0.4, 1);
	add(&s, 0.6, 2);
	add(&s, 0.9, 5);
	return s;
}

static double end_of(const struct sweep_dimension *d, double u)
{
	if (d->kind == SWEEP_DIMENSION_REAL)
		return u;
	return sweep_dimension_end(d, sweep_dimension_index(d, u));
}

/* ---- one dimension ---- */

static void the_most_promising_point_is_suggested(void **state)
{
	struct scene s = four_points();
	double u;

	(void)state;
	for (int64_t trial = 1; trial <= 5; trial++) {
		assert_null(next(&s, trial, &u));
		assert_true(fabs(u - 0.4628) < 0.003); /* where expected improvement is greatest */
	}
	s.pending[0] = 0.45;
	s.pending_count = 1;
	for (int64_t trial = 1; trial <= 5; trial++) {
		assert_null(next(&s, trial, &u));
		assert_true(fabs(u - 0.3413) < 0.003);
	}
	arena_free(s.arena);
}

/* Bits, so that a change that gives other trials of the same seed is seen; on all machines the same. */
static void the_same_seed_gives_the_same_point(void **state)
{
	struct scene s = four_points();
	double u;

	(void)state;
	assert_null(next(&s, 1, &u));
	if (u != SAME_SEED)
		fail_msg("%a", u);
	arena_free(s.arena);
}

static void random_points_come_first(void **state)
{
	struct scene s = four_points();
	double u, other;

	(void)state;
	for (s.count = 0; s.count < 3; s.count++) {
		assert_string_equal(next(&s, 1, &u), "random: too few results yet");
		next(&s, 2, &other);
		assert_true(u != other);
	}
	assert_null(next(&s, 1, &u));
	assert_int_equal(sweep_bayes_startup(1), 3);
	assert_int_equal(sweep_bayes_startup(8), 10);
	assert_int_equal(sweep_bayes_startup(100), 10);
	arena_free(s.arena);
}

static void equal_results_say_nothing(void **state)
{
	struct scene s = four_points();
	double u;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		s.y[i] = 7;
	assert_string_equal(next(&s, 1, &u), "random: all results are equal");
	assert_true(u > 0 && u < 1);
	arena_free(s.arena);
}

/* A flat likelihood: wandb's controller suggests random points here. Far from the two bad points is better than near. */
static void it_searches_where_no_length_is_likely(void **state)
{
	struct scene s = scene_new(line, 1);
	double u;

	(void)state;
	add(&s, 0.1, 9);
	add(&s, 0.15, 1);
	add(&s, 0.2, 9);
	for (int64_t trial = 1; trial <= 5; trial++) {
		assert_null(next(&s, trial, &u));
		assert_true(isfinite(u) && fabs(u - 0.1) > 0.01 && fabs(u - 0.2) > 0.01);
	}
	arena_free(s.arena);
}

/* A training that diverged: how far does not matter, and the others are still told apart. */
static void an_outlier_hides_nothing(void **state)
{
	struct scene s = four_points();
	double far, farther;

	(void)state;
	add(&s, 0.97, 1e6);
	assert_null(next(&s, 1, &far));
	s.y[4] = 1e300;
	assert_null(next(&s, 1, &farther));
	assert_true(far == farther);
	assert_true(far > 0.4 && far < 0.6);
	arena_free(s.arena);
}

static void extreme_values(void **state)
{
	struct scene s = four_points();
	double u;

	(void)state;
	s.y[0] = 1e300;
	s.y[1] = -1e300;
	next(&s, 1, &u);
	assert_true(u > 0 && u < 1);
	s.y[0] = 1e-300;
	s.y[1] = s.y[2] = s.y[3] = 0;
	next(&s, 1, &u);
	assert_true(u > 0 && u < 1);
	for (size_t i = 0; i < 4; i++)
		s.x[i] = 0.5;
	next(&s, 1, &u);
	assert_true(u > 0 && u < 1);
	arena_free(s.arena);
}

/* ---- more dimensions ---- */

static double cost(const struct sweep_dimension *d, const double *u)
{
	return (u[1] - 0.7) * (u[1] - 0.7) + (u[2] - 0.2) * (u[2] - 0.2) +
	       (sweep_dimension_index(d, u[0]) == 1 ? 0 : 0.2);
}

static double search(struct scene *s, size_t trials)
{
	double best = INFINITY;

	for (s->count = 0; s->count < trials; s->count++) {
		double *u = s->x + s->count * 3;

		next(s, (int64_t)s->count + 1, u);
		sweep_dimensions_snap(s->dimension, 3, u);
		s->y[s->count] = cost(s->dimension, u);
		for (size_t i = 0; i < 3; i++)
			u[i] = end_of(&s->dimension[i], u[i]);
		best = s->y[s->count] < best ? s->y[s->count] : best;
	}
	return best;
}

static void it_finds_the_best_point(void **state)
{
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	};
	struct scene s = scene_new(some, 3);

	(void)state;
	assert_true(search(&s, 40) < 1e-3);
	arena_free(s.arena);
}

static void a_finite_space_is_covered_before_it_is_repeated(void **state)
{
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
		{ .kind = SWEEP_DIMENSION_WHOLE, .count = 3 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1, .step = 0.5 },
	};
	struct scene s = scene_new(some, 3);
	size_t repeated = 0;

	(void)state;
	search(&s, 27);
	for (size_t i = sweep_bayes_startup(3); i < 27; i++) {
		for (size_t j = 0; j < i; j++) {
			bool is_same = memcmp(s.x + i * 3, s.x + j * 3, 3 * sizeof *s.x) == 0;

			/* Random points at the start may be equal; then all were tried before the last ones. */
			repeated += is_same && i < 27 - sweep_bayes_startup(3);
		}
	}
	assert_int_equal(repeated, 0);
	arena_free(s.arena);
}

/* More samples than are used: the best ones always are. */
static void many_samples(void **state)
{
	struct scene s = scene_new(line, 1);
	double u;

	(void)state;
	for (size_t i = 0; i < MOST; i++) {
		double x = ((double)i + 0.5) / MOST;

		add(&s, x, fabs(x - 0.3));
	}
	for (size_t i = 0; i < MOST; i++)
		s.pending[s.pending_count++] = 0.5 + 0.5 * ((double)i + 0.5) / MOST;
	for (int64_t trial = 1; trial <= 3; trial++) {
		assert_null(next(&s, trial, &u));
		assert_true(fabs(u - 0.3) < 0.02);
	}
	arena_free(s.arena);
}

static void conditions(void **state)
{
	static const struct sweep_span first = { 0, 1.0 / 3 };
	static const struct sweep_activation condition = { 0, &first, 1 };
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
		{ .kind = SWEEP_DIMENSION_REAL,
		  .high = 1,
		  .conditions = &condition,
		  .condition_count = 1 },
	};
	struct scene s = scene_new(some, 3);
	double best = INFINITY;

	(void)state;
	for (s.count = 0; s.count < 40; s.count++) {
		double *u = s.x + s.count * 3;

		next(&s, (int64_t)s.count + 1, u);
		assert_true(u[2] > 0 && u[2] < 1);
		sweep_dimensions_snap(some, 3, u);
		s.y[s.count] = fabs(u[1] - 0.5) + (isnan(u[2]) ? 0.3 : fabs(u[2] - 0.8));
		u[0] = end_of(&some[0], u[0]);
		best = s.y[s.count] < best ? s.y[s.count] : best;
	}
	assert_true(best < 0.1);
	arena_free(s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_promising_point_is_suggested),
		cmocka_unit_test(the_same_seed_gives_the_same_point),
		cmocka_unit_test(random_points_come_first),
		cmocka_unit_test(equal_results_say_nothing),
		cmocka_unit_test(it_searches_where_no_length_is_likely),
		cmocka_unit_test(an_outlier_hides_nothing),
		cmocka_unit_test(extreme_values),
		cmocka_unit_test(it_finds_the_best_point),
		cmocka_unit_test(a_finite_space_is_covered_before_it_is_repeated),
		cmocka_unit_test(many_samples),
		cmocka_unit_test(conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
