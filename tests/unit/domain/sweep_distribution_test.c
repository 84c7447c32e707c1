/* Random numbers of sweeps, the functions they are turned with, and the distributions of parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sweep_draw.h"
#include "sweep_math.h"
#include "sweep_space.h"

/* Relative, and absolute around 0. */
static void assert_close(double value, double expected, double error)
{
	if (value == expected || (isnan(value) && isnan(expected)))
		return;
	if (!(fabs(value - expected) <= error * fmax(1e-300, fabs(expected))))
		fail_msg("%.17g is not %.17g", value, expected);
}

/* As in a table of six digits. */
static void assert_rounded(double value, double expected)
{
	if (!(fabs(value - expected) <= 5.1e-7))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* ---- random numbers --------------------------------------------------------------------------------------- */

/* Random123 1.14, tests/kat_vectors, philox4x32 with 10 rounds. */
static void philox_gives_its_published_vectors(void **state)
{
	static const struct {
		uint32_t counter[4], key[2], out[4];
	} vectors[] = {
		{ { 0 }, { 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
		  { 0xffffffff, 0xffffffff },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		  { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		uint32_t out[4];

		sweep_philox(vectors[i].counter, vectors[i].key, out);
		assert_memory_equal(out, vectors[i].out, sizeof(out));
	}
}

/* These numbers are part of the product: a sweep's seed gives them on every server and in every release. */
static void a_seed_gives_the_same_numbers_for_ever(void **state)
{
	struct sweep_draw d = sweep_draw_begin(0, 0);
	struct sweep_draw other = sweep_draw_begin(-1, 7);

	(void)state;
	assert_true(sweep_draw_bits(&d) == UINT64_C(0xe169c58d6627e8d5));
	assert_true(sweep_draw_bits(&d) == UINT64_C(0x9b00dbd8bc57ac4c));
	assert_false(sweep_draw_bits(&d) == UINT64_C(0xe169c58d6627e8d5));
	assert_false(sweep_draw_bits(&other) == UINT64_C(0xe169c58d6627e8d5));
}

static void trials_and_seeds_have_numbers_of_their_own(void **state)
{
	double sum = 0;
	int below_half = 0;

	(void)state;
	for (int64_t seed = 0; seed < 100; seed++) {
		for (int64_t trial = 0; trial < 100; trial++) {
			struct sweep_draw d = sweep_draw_begin(seed, trial);
			double u = sweep_draw_unit(&d);

			assert_true(u >= 0x1p-53 && u <= 1 - 0x1p-53);
			sum += u;
			below_half += u < 0.5;
		}
	}
	/* the standard deviations of the two are 0.003 and 50 */
	assert_true(fabs(sum / 10000 - 0.5) < 0.015);
	assert_in_range(below_half, 4750, 5250);
}

static void numbers_below_a_count_reach_all_of_them(void **state)
{
	struct sweep_draw d = sweep_draw_begin(5, 1);
	int seen[3] = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++)
		seen[sweep_draw_below(&d, 3)]++;
	for (int i = 0; i < 3; i++)
		assert_in_range(seen[i], 850, 1150);
	assert_int_equal(sweep_draw_below(&d, 1), 0);
	assert_true(sweep_draw_below(&d, UINT64_MAX) < UINT64_MAX);
}

/* ---- functions -------------------------------------------------------------------------------------------- */

/* The numbers are from mpmath with 30 digits, those of beta and gamma from SciPy. */
static void functions_have_the_error_they_promise(void **state)
{
	(void)state;
	assert_close(sweep_exp(1), 2.7182818284590452354, 2e-16);
	assert_close(sweep_exp(-1), 0.36787944117144232160, 2e-16);
	assert_close(sweep_exp(709), 8.2184074615549721892e307, 2e-16);
	assert_close(sweep_exp(-700.5), 5.9801961186397912064e-305, 2e-16);
	assert_close(sweep_expm1(1e-9), 1.0000000005000000002e-9, 4e-16);
	assert_close(sweep_log(2), 0.69314718055994530942, 2e-16);
	assert_close(sweep_log(0.1), -2.3025850929940456285, 2e-16);
	assert_close(sweep_log(1e-300), -690.77552789821370521, 2e-16);
	assert_close(sweep_log1p(1e-9), 9.9999999950000000033e-10, 4e-16);
	assert_close(sweep_pow(2, 10), 1024, 1e-14);
	assert_close(sweep_normal_cdf(1), 0.84134474606854294859, 1e-15);
	assert_close(sweep_normal_cdf(-5), 2.8665157187919391167e-7, 1e-13);
	assert_close(sweep_normal_cdf(-20), 2.7536241186062336951e-89, 1e-13);
	assert_close(sweep_normal_inverse(0.3), -0.52440051270804066, 1e-15);
	assert_close(sweep_normal_inverse(1e-10), -6.3613409024040562, 1e-15);
	assert_close(sweep_beta_cdf(0.1, 2, 5), 0.114265, 1e-13);
	assert_close(sweep_beta_cdf(0.3, 0.5, 0.5), 0.36901011956554536, 1e-13);
	assert_close(sweep_lgamma(0.1), 2.2527126517342059599, 1e-14);
	assert_close(sweep_lgamma(100.5), 361.43554046777762, 1e-14);
}

static void functions_end_well(void **state)
{
	(void)state;
	assert_true(sweep_exp(-INFINITY) == 0);
	assert_true(isinf(sweep_exp(710)));
	assert_true(sweep_exp(0) == 1);
	assert_true(isinf(sweep_log(0)) && isnan(sweep_log(-1)) && sweep_log(1) == 0);
	assert_true(isnan(sweep_exp(NAN)) && isnan(sweep_log(NAN)) && isnan(sweep_normal_cdf(NAN)));
	assert_true(sweep_normal_cdf(-INFINITY) == 0 && sweep_normal_cdf(INFINITY) == 1 &&
		    sweep_normal_cdf(0) == 0.5);
	assert_true(isinf(sweep_normal_inverse(0)) && isinf(sweep_normal_inverse(1)) &&
		    isnan(sweep_normal_inverse(2)));
	assert_true(sweep_beta_cdf(0, 2, 2) == 0 && sweep_beta_cdf(1, 2, 2) == 1);
	assert_true(sweep_beta_inverse(0, 2, 2) == 0 && sweep_beta_inverse(1, 2, 2) == 1);
}

/* The bits of some results: another machine, compiler or option that gives others would give other trials. */
static void functions_give_the_same_bits_everywhere(void **state)
{
	uint64_t hash = 0;

	(void)state;
	for (int i = 1; i < 2000; i++) {
		double u = i / 2000.0;
		double results[] = { sweep_exp(20 * u - 10), sweep_log(u),
				     sweep_normal_cdf(8 * u - 4), sweep_normal_inverse(u),
				     sweep_beta_inverse(u, 2, 5) };

		for (size_t k = 0; k < sizeof(results) / sizeof(*results); k++) {
			uint64_t bits;

			memcpy(&bits, &results[k], sizeof(bits));
			hash = (hash ^ bits) * UINT64_C(0x100000001b3);
		}
	}
	if (hash != UINT64_C(0x683f46bdfdff3e66))
		fail_msg("the results' hash is %#llx", (unsigned long long)hash);
}

/* ---- distributions ---------------------------------------------------------------------------------------- */

static const double places[] = { 0, .05, .25, .5, .75, .95, 1 };
enum { PLACES = 7 };

struct row {
	struct sweep_parameter p;
	double expected[PLACES]; /* NAN: only finite */
};

static struct sweep_parameter parameter(enum sweep_distribution kind, double min, double max,
					double q)
{
	return (struct sweep_parameter){ .kind = kind,
					 .min = min,
					 .max = max,
					 .whole_min = fabs(min) < 1e9 ? (int64_t)min : 0,
					 .whole_max = fabs(max) < 1e9 ? (int64_t)max : 0,
					 .q = q,
					 .q_is_int = q == rint(q) };
}

static struct sweep_parameter normal(enum sweep_distribution kind, double mu, double sigma,
				     double q)
{
	return (struct sweep_parameter){
		.kind = kind, .mu = mu, .sigma = sigma, .q = q, .q_is_int = q == rint(q)
	};
}

static struct sweep_parameter beta(enum sweep_distribution kind, double a, double b, double q)
{
	return (struct sweep_parameter){ .kind = kind, .a = a, .b = b, .q = q };
}

static double number(const struct sweep_value *v)
{
	double x = NAN;

	assert_true(sweep_value_number(v, &x));
	return x;
}

static void check_row(const struct row *row)
{
	for (int i = 0; i < PLACES; i++) {
		struct sweep_value v;

		sweep_parameter_draw(&row->p, places[i], &v);
		assert_true(isfinite(number(&v)));
		if (!isnan(row->expected[i]))
			assert_rounded(number(&v), row->expected[i]);
	}
}

static void inverse_functions_follow_the_table(void **state)
{
	const struct row rows[] = {
		{ parameter(SWEEP_INT_UNIFORM, 0, 3, 0), { 0, 0, 0, 1, 2, 3, 3 } },
		{ parameter(SWEEP_INT_UNIFORM, -52, 10, 0), { -52, -49, -37, -21, -5, 7, 10 } },
		{ parameter(SWEEP_UNIFORM, 1, 3, 0), { 1, 1.1, 1.5, 2, 2.5, 2.9, 3 } },
		{ parameter(SWEEP_Q_UNIFORM, 0, 10, 2.5), { 0, 0, 2.5, 5, 7.5, 10, 10 } },
		{ parameter(SWEEP_Q_UNIFORM, 1, 10, 3), { 0, 0, 3, 6, 9, 9, 9 } },
		{ parameter(SWEEP_LOG_UNIFORM, -2, 3, 0),
		  { .135335, .173774, .472367, 1.648721, 5.754603, 15.642632, 20.085537 } },
		{ parameter(SWEEP_LOG_UNIFORM_VALUES, 0.001, 0.1, 0),
		  { .001, .001259, .003162, .01, .031623, .079433, .1 } },
		{ parameter(SWEEP_INV_LOG_UNIFORM, 0, 1, 0),
		  { .367879, .386741, .472367, .606531, .778801, .951229, 1 } },
		{ parameter(SWEEP_INV_LOG_UNIFORM_VALUES, 1, 100, 0),
		  { 1, 1.258925, 3.162278, 10, 31.622777, 79.432823, 100 } },
		{ parameter(SWEEP_Q_LOG_UNIFORM, 0, 5, 1), { 1, 1, 3, 12, 43, 116, 148 } },
		{ parameter(SWEEP_Q_LOG_UNIFORM_VALUES, 1, 1000, 5),
		  { 0, 0, 5, 30, 180, 710, 1000 } },
		{ normal(SWEEP_NORMAL, 0, 1, 1),
		  { NAN, -1.644854, -.67449, 0, .67449, 1.644854, NAN } },
		{ normal(SWEEP_Q_NORMAL, 10, 4, 3), { NAN, 3, 6, 9, 12, 18, NAN } },
		{ normal(SWEEP_LOG_NORMAL, 0, 1, 1),
		  { NAN, .193041, .509416, 1, 1.963031, 5.180252, NAN } },
		{ normal(SWEEP_LOG_NORMAL, 1, .5, 1),
		  { NAN, 1.194315, 1.94013, 2.718282, 3.808536, 6.186855, NAN } },
		{ normal(SWEEP_Q_LOG_NORMAL, 2, 1, 2), { 0, 2, 4, 8, 14, 38, NAN } },
		{ beta(SWEEP_BETA, 1, 1, 0), { 0, .05, .25, .5, .75, .95, 1 } },
		{ beta(SWEEP_BETA, 2, 5, 0),
		  { 0, .06285, .161163, .26445, .389479, .581803, NAN } },
		{ beta(SWEEP_Q_BETA, 2, 5, .1), { 0, .1, .2, .3, .4, .6, 1 } },
		{ normal(SWEEP_NORMAL, 3, 0, 1), { 3, 3, 3, 3, 3, 3, 3 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(&rows[i]);
}

static void values_of_a_list_follow_the_table(void **state)
{
	const struct sweep_value values[] = { { .kind = SWEEP_INT, .whole = 0 },
					      { .kind = SWEEP_INT, .whole = 1 },
					      { .kind = SWEEP_INT, .whole = 2 } };
	const double probabilities[] = { .2, .3, .5 };
	const int64_t equal[PLACES] = { 0, 0, 0, 1, 2, 2, 2 };
	const int64_t weighted[PLACES] = { 0, 0, 1, 2, 2, 2, 2 };
	struct sweep_parameter p = { .kind = SWEEP_CATEGORICAL,
				     .values = values,
				     .value_count = 3 };
	struct sweep_value v;
	double cdf;

	(void)state;
	for (int i = 0; i < PLACES; i++) {
		p.probabilities = NULL;
		sweep_parameter_draw(&p, places[i], &v);
		assert_int_equal(v.whole, equal[i]);
		p.probabilities = probabilities;
		sweep_parameter_draw(&p, places[i], &v);
		assert_int_equal(v.whole, weighted[i]);
	}
	assert_true(sweep_parameter_cdf(&p, &values[1], &cdf));
	assert_rounded(cdf, .5);
	p.probabilities = NULL;
	assert_true(sweep_parameter_cdf(&p, &values[1], &cdf));
	assert_rounded(cdf, 2.0 / 3);
	v.whole = 3;
	assert_false(sweep_parameter_cdf(&p, &v, &cdf));
}

static void assert_cdf(struct sweep_parameter p, double at, double expected)
{
	struct sweep_value v = { .kind = SWEEP_REAL, .real = at };
	double cdf;

	assert_true(sweep_parameter_cdf(&p, &v, &cdf));
	assert_rounded(cdf, expected);
}

static void distribution_functions_follow_the_table(void **state)
{
	const struct sweep_value text = { .kind = SWEEP_TEXT };
	const struct sweep_parameter uniform = parameter(SWEEP_UNIFORM, 1, 3, 0);
	double cdf;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_cdf(parameter(SWEEP_INT_UNIFORM, 0, 3, 0), i, (i + 1) / 4.0);
	assert_cdf(uniform, 0, 0);
	assert_cdf(uniform, 1, 0);
	assert_cdf(uniform, 2, .5);
	assert_cdf(uniform, 4, 1);
	assert_cdf(parameter(SWEEP_Q_UNIFORM, 0, 10, 3), 2.5, .25);
	assert_cdf(parameter(SWEEP_Q_UNIFORM, 0, 10, 1), 5, .5);
	assert_cdf(parameter(SWEEP_LOG_UNIFORM_VALUES, .001, .1, 0), .001, 0);
	assert_cdf(parameter(SWEEP_LOG_UNIFORM_VALUES, .001, .1, 0), .01, .5);
	assert_cdf(parameter(SWEEP_LOG_UNIFORM_VALUES, .001, .1, 0), .1, 1);
	assert_cdf(parameter(SWEEP_LOG_UNIFORM_VALUES, .001, .1, 0), 0, 0);
	assert_cdf(parameter(SWEEP_INV_LOG_UNIFORM_VALUES, 1, 100, 0), 1, 0);
	assert_cdf(parameter(SWEEP_INV_LOG_UNIFORM_VALUES, 1, 100, 0), 10, .5);
	assert_cdf(parameter(SWEEP_INV_LOG_UNIFORM_VALUES, 1, 100, 0), 100, 1);
	assert_cdf(parameter(SWEEP_INV_LOG_UNIFORM, 0, 1, 0), .5, .306853);
	assert_cdf(parameter(SWEEP_INV_LOG_UNIFORM, 0, 1, 0), 1, 1);
	assert_cdf(normal(SWEEP_NORMAL, 0, 1, 1), -1, .158655);
	assert_cdf(normal(SWEEP_NORMAL, 0, 1, 1), 1, .841345);
	assert_cdf(normal(SWEEP_Q_NORMAL, 10, 4, 3), 9, .401294);
	assert_cdf(normal(SWEEP_Q_NORMAL, 10, 4, 3), 12, .691462);
	assert_cdf(normal(SWEEP_LOG_NORMAL, 0, 1, 1), 0, 0);
	assert_cdf(normal(SWEEP_LOG_NORMAL, 0, 1, 1), 1, .5);
	assert_cdf(normal(SWEEP_LOG_NORMAL, 0, 1, 1), 2, .755891);
	assert_cdf(beta(SWEEP_BETA, 2, 5, 0), .1, .114265);
	assert_cdf(beta(SWEEP_BETA, 2, 5, 0), .5, .890625);
	assert_false(sweep_parameter_cdf(&uniform, &text, &cdf));
}

static void quantised_results_are_integers_where_q_is_one(void **state)
{
	struct sweep_parameter p = parameter(SWEEP_Q_UNIFORM, 0, 10, 2);
	struct sweep_value v;

	(void)state;
	sweep_parameter_draw(&p, .5, &v);
	assert_int_equal(v.kind, SWEEP_INT);
	p.q_is_int = false; /* q: 2.0 */
	sweep_parameter_draw(&p, .5, &v);
	assert_int_equal(v.kind, SWEEP_REAL);
	/* a normal distribution without bounds, in small steps, stays in 64 bits */
	p = normal(SWEEP_Q_LOG_NORMAL, 300, 100, 1);
	sweep_parameter_draw(&p, 1, &v);
	assert_int_equal(v.whole, INT64_C(1) << 62);
}

static void integers_of_a_wide_range_are_drawn_within_it(void **state)
{
	struct sweep_parameter p = parameter(SWEEP_INT_UNIFORM, -0x1p53, 0x1p53, 0);
	struct sweep_value v;

	(void)state;
	p.whole_min = -(INT64_C(1) << 53);
	p.whole_max = INT64_C(1) << 53;
	sweep_parameter_draw(&p, 0, &v);
	assert_true(v.whole >= p.whole_min && v.whole < p.whole_min + 10);
	sweep_parameter_draw(&p, 1, &v);
	assert_true(v.whole <= p.whole_max && v.whole > p.whole_max - 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_gives_its_published_vectors),
		cmocka_unit_test(a_seed_gives_the_same_numbers_for_ever),
		cmocka_unit_test(trials_and_seeds_have_numbers_of_their_own),
		cmocka_unit_test(numbers_below_a_count_reach_all_of_them),
		cmocka_unit_test(functions_have_the_error_they_promise),
		cmocka_unit_test(functions_end_well),
		cmocka_unit_test(functions_give_the_same_bits_everywhere),
		cmocka_unit_test(inverse_functions_follow_the_table),
		cmocka_unit_test(values_of_a_list_follow_the_table),
		cmocka_unit_test(distribution_functions_follow_the_table),
		cmocka_unit_test(quantised_results_are_integers_where_q_is_one),
		cmocka_unit_test(integers_of_a_wide_range_are_drawn_within_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
