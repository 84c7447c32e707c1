/* Gaussian processes of sweeps: the values that wandb's controller computes, and what it leaves to chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arena.h"
#include "sweep_matrix.h"
#include "sweep_process.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const double no_noise[] = { 0 };
static const double noises[] = { 0, 0.01, 0.05, 0.2, 0.5 };

static const double set_x[] = { 0.1, 0.4, 0.6, 0.9, 0.45 };
static const double set_y[] = { 4, 1, 2, 5 };

static struct sweep_process fit(struct arena *a, const double *x, const double *y, size_t count)
{
	struct sweep_process p;

	assert_int_equal(sweep_process_fit(a, x, y, count, 1, noises, COUNT(noises), &p),
			 SWEEP_FIT_FOUND);
	return p;
}

static void assert_near(double value, double expected, double error)
{
	if (!(fabs(value - expected) <= error))
		fail_msg("%.12g is not %.12g", value, expected);
}

/* ---- matrices ---- */

static void a_matrix_is_factored_and_solved(void **state)
{
	double a[] = { 4, 2, -2, 2, 10, 2, -2, 2, 6 };
	const double factor[] = { 2, 1, -1, 0, 3, 1, 0, 0, 2 };
	double b[] = { 2, 8, 1, 22, 2, -4 }; /* two columns: U^T times (1, 0, 1) and (4, 6, -3) */
	double c[] = { 2, 1, -1 };

	(void)state;
	assert_true(sweep_matrix_factor(a, 3));
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = i; j < 3; j++)
			assert_near(a[i * 3 + j], factor[i * 3 + j], 1e-15);
	}
	assert_near(sweep_matrix_log_root(a, 3), log(12), 1e-14);
	sweep_matrix_solve_lower(a, 3, b, 2);
	assert_near(b[0], 1, 1e-15);
	assert_near(b[1], 4, 1e-15);
	assert_near(b[2], 0, 1e-15);
	assert_near(b[3], 6, 1e-15);
	assert_near(b[4], 1.5, 1e-15);
	assert_near(b[5], -3, 1e-15);
	sweep_matrix_solve_upper(a, 3, c); /* U x = c */
	assert_near(c[2], -0.5, 1e-15);
	assert_near(c[1], 0.5, 1e-15);
	assert_near(c[0], 0.5, 1e-15);
}

static void a_singular_matrix_is_refused(void **state)
{
	double equal[] = { 1, 1, 1, 1 };
	double negative[] = { -1 };
	double unknown[] = { NAN };

	(void)state;
	assert_false(sweep_matrix_factor(equal, 2));
	assert_false(sweep_matrix_factor(negative, 1));
	assert_false(sweep_matrix_factor(unknown, 1));
}

/*
 * ---- the values of wandb's controller ----
 * Its optimiser stops up to 1e-5 before the maximum, so what depends on theta agrees no better.
 */

static void likelihoods(void **state)
{
	static const double cases[][2] = {
		{ -3, -5.67025748 }, { -2, -5.62891082 },  { -1, -6.90797577 },
		{ 0, -27.99697168 }, { 1, -350.22764417 }, { 3, -109636.31834931 },
	};
	struct arena *a = arena_new(1 << 12);
	double y[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		y[i] = (set_y[i] - 3) / (sqrt(2.5) + 1e-6);
	for (size_t i = 0; i < COUNT(cases); i++) {
		double found = sweep_process_likelihood(a, set_x, y, 4, 1, cases[i][0], 0);

		assert_near(found / cases[i][1], 1, 1e-8);
	}
	arena_free(a);
}

struct expected {
	double x, mean, deviation, improvement; /* NaN: not compared */
};

static void assert_predicts(struct arena *a, const struct sweep_process *p, double best,
			    const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct expected *e = &expected[i];
		double mean, deviation;

		sweep_process_predict(a, p, &e->x, 1, &mean, &deviation);
		if (!isnan(e->mean))
			assert_near(mean, e->mean, 1e-5);
		if (!isnan(e->deviation))
			assert_near(deviation, e->deviation, 1e-5);
		assert_near(sweep_process_improvement(mean, deviation, best), e->improvement, 3e-6);
	}
}

static void four_points(void **state)
{
	static const struct expected expected[] = {
		{ 0, 0.364582, 0.837496, 0.00821527 },
		{ 0.25, -0.184125, 0.890154, 0.04850705 },
		{ 0.45, -1.127066, 0.542899, 0.15460729 },
		{ 0.5, -0.896102, 0.705561, 0.13467614 },
		{ 0.75, 0.234803, 0.890154, 0.01689252 },
		{ 1, 0.699630, 0.837496, 0.00267980 },
	};
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p = fit(a, set_x, set_y, 4);
	double best = (1 - p.mean) / (p.deviation + 1e-6);

	(void)state;
	assert_near(p.theta, -2.18171751, 1e-5);
	assert_near(p.likelihood, -5.61877212, 1e-8);
	assert_near(p.mean, 3, 1e-12);
	assert_near(p.deviation + 1e-6, 1.58113983, 1e-8);
	assert_near(best, -1.264910, 1e-6);
	assert_true(p.noise == 0);
	assert_predicts(a, &p, best, expected, COUNT(expected));
	arena_free(a);
}

static void four_points_and_a_pending_one(void **state)
{
	static const struct expected expected[] = {
		{ 0, NAN, NAN, 0.00019207 },    { 0.25, -0.171392, 0.565573, 0.01540513 },
		{ 0.45, NAN, 0.000316, 0 },     { 0.5, -0.738602, 0.217431, 0.00840128 },
		{ 0.75, NAN, NAN, 0.00047498 }, { 1, NAN, NAN, 0.00001130 },
	};
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p = fit(a, set_x, set_y, 4);
	double y[5], mean, deviation, best;

	(void)state;
	memcpy(y, set_y, sizeof set_y);
	sweep_process_predict(a, &p, &set_x[4], 1, &mean, &deviation);
	y[4] = p.mean + mean * (p.deviation + 1e-6);
	p = fit(a, set_x, y, 5);
	best = (1 - p.mean) / (p.deviation + 1e-6);
	assert_near(p.theta, -1.57967868, 1e-5);
	assert_near(p.likelihood, -5.78176401, 1e-5);
	assert_near(p.mean, 2.64359015, 1e-5);
	assert_near(p.deviation + 1e-6, 1.58370296, 1e-5);
	assert_near(best, -1.037815, 1e-5);
	assert_predicts(a, &p, best, expected, COUNT(expected));
	arena_free(a);
}

/* ---- likelihoods without a peak ---- */

static void two_points_have_a_flat_likelihood(void **state)
{
	static const double x[] = { 0.2, 0.7 }, y[] = { 1, 3 };
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p;

	(void)state;
	assert_int_equal(sweep_process_fit(a, x, y, 2, 1, noises, COUNT(noises), &p),
			 SWEEP_FIT_FLAT);
	/* It is as long as it can be and still nearly as likely, so that distance means something. */
	assert_true(p.theta > -2 && p.theta < 0);
	assert_true(p.noise == 0);
	arena_free(a);
}

static void equal_values_have_no_longest_scale(void **state)
{
	static const double x[] = { 0.2, 0.7, 0.4 }, y[] = { 1, 1, 1 };
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p;

	(void)state;
	assert_int_equal(sweep_process_fit(a, x, y, 3, 1, noises, COUNT(noises), &p),
			 SWEEP_FIT_BOUND);
	arena_free(a);
}

static void one_point_and_equal_points(void **state)
{
	static const double x[] = { 0.5, 0.5, 0.5 }, y[] = { 7, 8, 9 };
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p;
	double mean, deviation;

	(void)state;
	for (size_t count = 1; count <= 3; count++) {
		sweep_process_fit(a, x, y, count, 1, noises, COUNT(noises), &p);
		sweep_process_predict(a, &p, x, 1, &mean, &deviation);
		assert_true(isfinite(mean) && isfinite(deviation));
	}
	arena_free(a);
}

/* A line with values at each place that differ by chance: without noise no length scale fits. */
static void repeated_points_have_noise(void **state)
{
	static const double error[] = { 0.3, -0.2, 0.1, -0.3, 0.25, -0.15, 0.2, -0.1, -0.25, 0.15 };
	struct arena *a = arena_new(1 << 12);
	struct sweep_process p;
	double x[20], y[20], without;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		size_t place = i / 2;

		x[i] = (double)place / 9;
		y[i] = 4 * x[i] + (i % 2 ? 1 : -1) * error[place];
	}
	sweep_process_fit(a, x, y, 20, 1, no_noise, 1, &p);
	without = p.likelihood;
	assert_int_equal(sweep_process_fit(a, x, y, 20, 1, noises, COUNT(noises), &p),
			 SWEEP_FIT_FOUND);
	assert_true(p.noise > 0);
	assert_true(p.likelihood > without + 1);
	assert_true(p.theta > -1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_matrix_is_factored_and_solved),
		cmocka_unit_test(a_singular_matrix_is_refused),
		cmocka_unit_test(likelihoods),
		cmocka_unit_test(four_points),
		cmocka_unit_test(four_points_and_a_pending_one),
		cmocka_unit_test(two_points_have_a_flat_likelihood),
		cmocka_unit_test(equal_values_have_no_longest_scale),
		cmocka_unit_test(one_point_and_equal_points),
		cmocka_unit_test(repeated_points_have_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
