/* The importance of parameters as Optuna computes it, and rank correlation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_importance.h"
#include "sweep_optuna.h"
#include "sweep_sample.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { DIMENSIONS = 5 };

static const struct sweep_dimension dimensions[DIMENSIONS] = {
	{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 3 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	{ .kind = SWEEP_DIMENSION_REAL, .high = 2, .step = 0.25 },
	{ .kind = SWEEP_DIMENSION_WHOLE, .count = 90 },
};

static void as_optuna_computes_it(void **state)
{
	struct arena *a = arena_new(1 << 12);
	double x[COUNT(optuna_trials) * DIMENSIONS], y[COUNT(optuna_trials)], found[DIMENSIONS];
	struct sweep_samples s = {
		.dimensions = DIMENSIONS, .dimension = dimensions, .x = x, .y = y
	};

	(void)state;
	for (s.count = 0; s.count < COUNT(optuna_trials); s.count++) {
		for (size_t j = 0; j < DIMENSIONS; j++)
			x[s.count * DIMENSIONS + j] = optuna_trials[s.count][j];
		y[s.count] = optuna_trials[s.count][DIMENSIONS];
	}
	sweep_importance(a, &s, found);
	for (size_t i = 0; i < DIMENSIONS; i++) {
		if (!(fabs(found[i] - optuna_importances[0][i]) < 1e-9))
			fail_msg("dimension %zu: %.12g, Optuna says %.12g", i, found[i],
				 optuna_importances[0][i]);
	}
	arena_free(a);
}

static void nothing_is_known_without_results(void **state)
{
	static const double x[] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 };
	static const double y[] = { 1, 1, 1, 1, 1 };
	struct arena *a = arena_new(1 << 12);
	struct sweep_samples s = { .dimensions = 2, .dimension = dimensions + 1, .x = x, .y = y };
	double found[2];

	(void)state;
	for (size_t count = 0; count <= 5; count += count ? 4 : 1) { /* 0, 1, 5 of equal values */
		s.count = count;
		sweep_importance(a, &s, found);
		assert_true(found[0] == 0.5 && found[1] == 0.5);
	}
	arena_free(a);
}

static void a_parameter_with_one_value_has_none(void **state)
{
	static const struct sweep_dimension some[2] = {
		{ .kind = SWEEP_DIMENSION_CATEGORICAL, .count = 1 },
		{ .kind = SWEEP_DIMENSION_REAL, .high = 1 },
	};
	static const double x[] = { 1, 0.1, 1, 0.9, 1, 0.4 }, y[] = { 1, 2, 3 };
	struct arena *a = arena_new(1 << 12);
	const struct sweep_samples s = {
		.dimensions = 2, .dimension = some, .count = 3, .x = x, .y = y
	};
	double found[2];

	(void)state;
	sweep_importance(a, &s, found);
	assert_true(found[0] == 0 && found[1] == 1);
	arena_free(a);
}

static void rank_correlation(void **state)
{
	static const double up[] = { 1, 2, 3, 4, 5 }, down[] = { 9, 7, 5, 3, 1 };
	static const double ties[] = { 1, 2, 2, 3, 10 }, other[] = { 2, 1, 4, 3, 5 };
	static const double holes[] = { 1, NAN, 3, NAN, 2 }, same[] = { 4, 4, 4, 4, 4 };
	struct arena *a = arena_new(1 << 12);

	(void)state;
	assert_true(fabs(sweep_rank_correlation(a, up, down, 5) + 1) < 1e-15);
	assert_true(fabs(sweep_rank_correlation(a, up, other, 5) - 0.8) < 1e-15);
	/* Ranks 1, 2.5, 2.5, 4, 5 against 2, 1, 4, 3, 5: 6.5 / sqrt(9.5 * 10). */
	assert_true(fabs(sweep_rank_correlation(a, ties, other, 5) - 6.5 / sqrt(95)) < 1e-15);
	assert_true(fabs(sweep_rank_correlation(a, holes, up, 5) - 0.5) < 1e-15);
	assert_true(isnan(sweep_rank_correlation(a, same, up, 5)));
	assert_true(isnan(sweep_rank_correlation(a, up, up, 1)));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_optuna_computes_it),
		cmocka_unit_test(nothing_is_known_without_results),
		cmocka_unit_test(a_parameter_with_one_value_has_none),
		cmocka_unit_test(rank_correlation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
