/* Statistics across ranks: columns, labels, and which rank is slow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "ranks.h"

enum { LABELS = 7, COLUMNS = 7 };

/* The sixth column has no number, and the last column has only the last label. */
static double values[LABELS][COLUMNS] = {
	{ 1, NAN, 7, 5, 1, NAN, NAN },       { 2, 2, NAN, 5, 2, NAN, NAN },
	{ 3, 4, NAN, 5, 3, NAN, NAN },       { 4, NAN, NAN, 5, 10, NAN, NAN },
	{ 100, 6, NAN, 6, NAN, NAN, NAN },   { NAN, NAN, NAN, NAN, NAN, NAN, NAN },
	{ NAN, NAN, NAN, NAN, NAN, NAN, 9 },
};

struct measured {
	struct rank_column columns[COLUMNS];
	struct rank_label labels[LABELS];
};

static struct measured measure(enum ranks_slow slow)
{
	struct arena *a = arena_new(4096);
	const struct ranks r = { LABELS, COLUMNS, &values[0][0], slow };
	struct measured m;

	ranks_measure(a, &r, m.columns, m.labels);
	arena_free(a);
	return m;
}

static void check(double is, double expected)
{
	if (!(fabs(is - expected) < 1e-9) && !(is == expected))
		fail_msg("%.10g is not %.10g", is, expected);
}

static void a_column_has_the_statistics_of_its_labels(void **state)
{
	static const struct rank_column expected[COLUMNS] = {
		{ 5, 22, 1, 100, 3, 1.4826, 4 }, { 3, 4, 2, 6, 4, 2 * 1.4826, 4 },
		{ 1, 7, 7, 7, 7, 0, 0 },         { 5, 5.2, 5, 6, 5, 0, 4 },
		{ 4, 4, 1, 10, 2.5, 1.4826, 3 }, { .labels = 0 },
		{ 1, 9, 9, 9, 9, 0, 6 },
	};
	const struct measured m = measure(RANKS_SLOW_HIGH);

	(void)state;
	for (size_t i = 0; i < COLUMNS; i++) {
		assert_int_equal(m.columns[i].labels, expected[i].labels);
		assert_int_equal(m.columns[i].slowest, expected[i].slowest);
		check(m.columns[i].mean, expected[i].mean);
		check(m.columns[i].min, expected[i].min);
		check(m.columns[i].max, expected[i].max);
		check(m.columns[i].median, expected[i].median);
		check(m.columns[i].spread, expected[i].spread);
	}
}

static void the_slowest_has_the_greatest_number_or_the_least(void **state)
{
	static const uint32_t slowest[COLUMNS] = { 0, 1, 0, 0, 0, 0, 6 };
	const struct measured m = measure(RANKS_SLOW_LOW);

	(void)state;
	for (size_t i = 0; i < COLUMNS; i++)
		assert_int_equal(m.columns[i].slowest, slowest[i]);
}

/* Only columns that it shares with others: the only rank of a column is its own median. */
static void a_label_is_compared_with_others(void **state)
{
	const struct measured m = measure(RANKS_SLOW_HIGH);

	(void)state;
	assert_int_equal(m.labels[4].columns, 3);
	check(m.labels[4].mean, 112 / 3.0);
	check(m.labels[4].far, 97 / 1.4826); /* of that, 0.67 and infinity */
	check(m.labels[4].slow, 2 / 3.0);
	assert_int_equal(m.labels[0].columns, 4);
	check(m.labels[0].mean, 3.5);
	check(m.labels[0].far, -1.5 / 1.4826); /* of that, -1.35 and 0 */
	check(m.labels[0].slow, 0);
	assert_int_equal(m.labels[5].columns, 0);
	assert_true(isnan(m.labels[5].mean));
	check(m.labels[5].far, 0);
	assert_int_equal(m.labels[6].columns, 1);
	check(m.labels[6].mean, 9);
	check(m.labels[6].far, 0);
	check(m.labels[6].slow, 0);
}

static void if_low_numbers_are_slow_distances_are_the_other_way(void **state)
{
	const struct measured m = measure(RANKS_SLOW_LOW);

	(void)state;
	check(m.labels[0].far, 1.5 / 1.4826);
	check(m.labels[4].far, -97 / 1.4826);
	check(m.labels[4].slow, 0);
}

/* The spread of -1, -1, 0, 1, x is 1.4826, and three of them are not far yet. */
static void slow_is_beyond_three_spreads(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (int beyond = 0; beyond < 2; beyond++) {
		double numbers[] = { -1, -1, 0, 1, 3 * 1.4826 + 0.001 * beyond };
		const struct ranks r = { 5, 1, numbers, RANKS_SLOW_HIGH };
		struct rank_column column;
		struct rank_label labels[5];

		ranks_measure(a, &r, &column, labels);
		check(column.spread, 1.4826);
		check(labels[4].slow, beyond);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_has_the_statistics_of_its_labels),
		cmocka_unit_test(the_slowest_has_the_greatest_number_or_the_least),
		cmocka_unit_test(a_label_is_compared_with_others),
		cmocka_unit_test(if_low_numbers_are_slow_distances_are_the_other_way),
		cmocka_unit_test(slow_is_beyond_three_spreads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
