/* Parzen estimators of sweeps, beside the densities that Optuna computes, and the search by them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_optuna.h"
#include "sweep_parzen.h"
#include "sweep_sample.h"
#include "sweep_tpe.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { DIMENSIONS = 5 };

static const struct sweep_dimension dimensions[DIMENSIONS] = {
	{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 2, .step = 0.25 },
	{ .kind = SWEEP_DIMENSION_WHOLE, .count = 90 },
};

static void inside(const double *from, size_t rows, double *to)
{
	for (size_t i = 0; i < rows * DIMENSIONS; i++)
		to[i] = sweep_dimension_inside(&dimensions[i % DIMENSIONS], from[i]);
}

static void densities_are_those_of_optuna(void **state)
{
	static const size_t counts[] = { 30, 5, 1 };
	static const size_t columns[] = { 0, 1, 2, 4 };
	struct arena *a = arena_new(1 << 12);
	double points[COUNT(optuna_points) * DIMENSIONS], places[COUNT(optuna_places) * DIMENSIONS];
	size_t chosen[COUNT(optuna_points)];

	(void)state;
	inside(optuna_points[0], COUNT(optuna_points), points);
	inside(optuna_places[0], COUNT(optuna_places), places);
	for (size_t i = 0; i < COUNT(chosen); i++)
		chosen[i] = i;
	for (size_t i = 0; i < COUNT(counts); i++) {
		const struct sweep_parzen *p = sweep_parzen_new(
			a,
			&(struct sweep_parzen_points){ dimensions, DIMENSIONS, columns,
						       COUNT(columns), points, chosen, counts[i] });

		for (size_t j = 0; j < COUNT(optuna_places); j++) {
			double found = sweep_parzen_log(p, places + j * DIMENSIONS);

			if (!(fabs(found - optuna_densities[i][j]) < 1e-9))
				fail_msg("%zu points, place %zu: %.12g, Optuna says %.12g",
					 counts[i], j, found, optuna_densities[i][j]);
		}
	}
	arena_free(a);
}

/* A density of intervals and choices sums to 1 over all of them, and draws come as often as it says. */
static void draws_follow_the_density(void **state)
{
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
		{ .kind = SWEEP_DIMENSION_WHOLE, .count = 4 },
	};
	static const double rows[] = { 1.0 / 6, 0.125, 0.5, 0.875, 0.5, 0.625 };
	static const size_t columns[] = { 0, 1 }, chosen[] = { 0, 1, 2 };
	enum { DRAWS = 20000 };
	struct arena *a = arena_new(1 << 12);
	const struct sweep_parzen *p = sweep_parzen_new(
		a, &(struct sweep_parzen_points){ some, 2, columns, 2, rows, chosen, 3 });
	struct sweep_draw draw = sweep_draw_begin(7, 1);
	size_t found[3][4] = { 0 };
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < DRAWS; i++) {
		double u[2];

		sweep_parzen_draw(p, &draw, u);
		found[sweep_dimension_index(&some[0], u[0])]
		     [sweep_dimension_index(&some[1], u[1])]++;
	}
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 4; j++) {
			const double u[] = { ((double)i + 0.5) / 3, ((double)j + 0.5) / 4 };
			double share = exp(sweep_parzen_log(p, u));
			double error = 5 * sqrt(share * (1 - share) / DRAWS);

			sum += share;
			assert_true(fabs((double)found[i][j] / DRAWS - share) < error);
		}
	}
	assert_true(fabs(sum - 1) < 1e-9);
	arena_free(a);
}

/* A normal parameter has no bounds: its axis is that of the standard normal distribution. */
static void a_normal_parameter(void **state)
{
	static const struct sweep_dimension normal = {
		.kind = SWEEP_DIMENSION_REAL, .scale = SWEEP_SCALE_NORMAL, .low = 10, .high = 2
	};
	static const double rows[] = { 0.5, 0.5 + 0x1p-30 };
	static const size_t columns[] = { 0 }, chosen[] = { 0, 1 };
	struct arena *a = arena_new(1 << 12);
	const struct sweep_parzen *p = sweep_parzen_new(
		a, &(struct sweep_parzen_points){ &normal, 1, columns, 1, rows, chosen, 2 });
	const double middle[] = { 0.5 }, side[] = { 0.97724986805182079 }; /* 2 deviations */
	struct sweep_draw draw = sweep_draw_begin(7, 1);

	(void)state;
	/* Two kernels 1 wide, the length of the axis by their number and 1, and the wide one: all are standard. */
	assert_true(fabs(sweep_parzen_log(p, middle) - log(1 / sqrt(2 * M_PI))) < 1e-9);
	assert_true(fabs(sweep_parzen_log(p, side) - sweep_parzen_log(p, middle) + 2) < 1e-8);
	for (int i = 0; i < 1000; i++) {
		double u;

		sweep_parzen_draw(p, &draw, &u);
		assert_true(u > 0 && u < 1);
	}
	arena_free(a);
}

/* ---- the search ---- */

enum { MOST = 200 };
struct scene {
	struct arena *arena;
	const struct sweep_dimension *dimension;
	size_t dimensions;
	double x[MOST * DIMENSIONS], y[MOST], pending[MOST * DIMENSIONS];
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
	struct sweep_draw draw = sweep_draw_begin(11, trial);
	const char *note = "";

	sweep_tpe_next(s->arena, &samples, &draw, u, &note);
	return note;
}

/* In samples a choice or an integer is at the end of its interval. */
static double end_of(const struct sweep_dimension *d, double u)
{
	if (d->kind == SWEEP_DIMENSION_REAL)
		return u;
	return sweep_dimension_end(d, sweep_dimension_index(d, u));
}

static void random_points_come_first(void **state)
{
	struct scene s = scene_new(dimensions, DIMENSIONS);
	double u[DIMENSIONS], again[DIMENSIONS];

	(void)state;
	inside(optuna_points[0], COUNT(optuna_points), s.x);
	for (s.count = 0; s.count < 12; s.count++) {
		const char *note = next(&s, 5, u);

		if (s.count < 10)
			assert_string_equal(note, "random: too few results yet");
		else
			assert_null(note);
		next(&s, 5, again);
		assert_memory_equal(u, again, sizeof u);
		next(&s, 6, again);
		assert_memory_not_equal(u, again, sizeof u);
	}
	arena_free(s.arena);
}

/* Searches a sphere around 0.7, 0.2, with a choice that costs 1. */
static void it_comes_near_the_best_point(void **state)
{
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	};
	struct scene s = scene_new(some, 3);
	double best = INFINITY;

	(void)state;
	for (s.count = 0; s.count < 80; s.count++) {
		double *u = s.x + s.count * 3;

		next(&s, (int64_t)s.count + 1, u);
		s.y[s.count] = (u[1] - 0.7) * (u[1] - 0.7) + (u[2] - 0.2) * (u[2] - 0.2) +
			       (sweep_dimension_index(&some[0], u[0]) == 1 ? 0 : 1);
		u[0] = end_of(&some[0], u[0]);
		best = s.y[s.count] < best ? s.y[s.count] : best;
	}
	assert_true(best < 0.01);
	arena_free(s.arena);
}

static void pending_points_repel(void **state)
{
	static const struct sweep_dimension line[] = { { .kind = SWEEP_DIMENSION_REAL,
							 .high = 1 } };
	struct scene s = scene_new(line, 1);
	size_t near_before = 0, near_after = 0;
	double u;

	(void)state;
	for (s.count = 0; s.count < 20; s.count++) {
		s.x[s.count] = ((double)s.count + 0.5) / 20;
		s.y[s.count] = fabs(s.x[s.count] - 0.5);
	}
	for (int64_t i = 1; i <= 100; i++) {
		next(&s, i, &u);
		near_before += fabs(u - 0.5) < 0.05;
	}
	for (s.pending_count = 0; s.pending_count < 10; s.pending_count++)
		s.pending[s.pending_count] = 0.5;
	for (int64_t i = 1; i <= 100; i++) {
		next(&s, i, &u);
		near_after += fabs(u - 0.5) < 0.05;
	}
	assert_true(near_before > 50);
	assert_true(near_after < near_before / 2);
	arena_free(s.arena);
}

static void a_finite_space_is_not_repeated(void **state)
{
	static const struct sweep_dimension some[] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 5 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 2, .step = 0.5 },
		{ .kind = SWEEP_DIMENSION_WHOLE, .count = 4 },
	};
	struct scene s = scene_new(some, 3);
	size_t repeated = 0;

	(void)state;
	for (s.count = 0; s.count < 80; s.count++) {
		double *u = s.x + s.count * 3, point[3];

		next(&s, (int64_t)s.count + 1, u);
		memcpy(point, u, sizeof point);
		sweep_dimensions_snap(some, 3, point);
		for (size_t i = 0; i < 3; i++)
			u[i] = end_of(&some[i], point[i]);
		s.y[s.count] = u[0] + u[1] * u[1] - u[2];
		for (size_t i = 10; i < s.count; i++) /* the first ones are random */
			repeated += memcmp(s.x + i * 3, u, 3 * sizeof *u) == 0;
	}
	assert_int_equal(repeated, 0);
	arena_free(s.arena);
}

/* Where the points beyond the limit are makes no difference: first spread, then all where the best ones are. */
static void old_points_are_left_out(void **state)
{
	static const struct sweep_dimension line[] = { { .kind = SWEEP_DIMENSION_REAL,
							 .high = 1 } };
	enum { BEST = 25, MANY = 2 * TPE_ABOVE_MAX + BEST };
	struct arena *a = arena_new(1 << 12);
	double *x = arena_new_array(a, double, MANY), *y = arena_new_array(a, double, MANY);
	const struct sweep_samples s = {
		.dimensions = 1, .dimension = line, .count = MANY, .x = x, .y = y
	};
	double found[2];
	const char *note;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		bool is_best = i >= MANY - BEST;

		x[i] = is_best ? 0.5 + 0.001 * (double)(i - (MANY - BEST))
			       : ((double)(i * 37 % MANY) + 0.5) / MANY;
		y[i] = is_best ? 0 : 1;
	}
	for (size_t i = 0; i < 2; i++) {
		struct sweep_draw draw = sweep_draw_begin(11, 1);

		sweep_tpe_next(a, &s, &draw, &found[i], &note);
		for (size_t j = 0; j < TPE_ABOVE_MAX; j++)
			x[j] = 0.5 + 0.001 * (double)(j % BEST);
	}
	assert_true(found[0] == found[1]);
	arena_free(a);
}

/* The second number is there only with the first choice; in the others a search must not need it. */
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
	for (s.count = 0; s.count < 80; s.count++) {
		double *u = s.x + s.count * 3;

		next(&s, (int64_t)s.count + 1, u);
		assert_true(u[2] > 0 && u[2] < 1);
		sweep_dimensions_snap(some, 3, u);
		assert_int_equal(isnan(u[2]), sweep_dimension_index(&some[0], u[0]) != 0);
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
		cmocka_unit_test(densities_are_those_of_optuna),
		cmocka_unit_test(draws_follow_the_density),
		cmocka_unit_test(a_normal_parameter),
		cmocka_unit_test(random_points_come_first),
		cmocka_unit_test(it_comes_near_the_best_point),
		cmocka_unit_test(pending_points_repel),
		cmocka_unit_test(a_finite_space_is_not_repeated),
		cmocka_unit_test(old_points_are_left_out),
		cmocka_unit_test(conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
