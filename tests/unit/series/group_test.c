/* Statistics of groups, against one that keeps everything; buckets of axes of real numbers. */
#include "series_data.h"

#include <math.h>
#include <stdlib.h>

#include "group.h"

enum { RUNS = 40, BUCKETS = 25 };

static double next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(*state >> 11) * 0x1p-53;
}

/* Means of the runs that have a value in the bucket. */
struct slow {
	double means[RUNS];
	uint32_t count;
	double min;
	double max;
	uint64_t n;
};

static void slow_add(struct slow *s, const struct bucket *b)
{
	s->min = !s->count || b->min < s->min ? b->min : s->min;
	s->max = !s->count || b->max > s->max ? b->max : s->max;
	s->means[s->count++] = b->mean;
	s->n += b->n;
}

static int by_size(const void *a, const void *b)
{
	return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

/* All of a run, with what lies between its own where these are near. */
static void slow_add_run(struct slow *all, const struct bucket *b, uint32_t count)
{
	uint32_t apart[BUCKETS];
	uint32_t usual = 0;

	for (uint32_t i = 1; i < count; i++)
		apart[i - 1] = b[i].at - b[i - 1].at;
	if (count > 1) {
		qsort(apart, count - 1, sizeof(apart[0]), by_size);
		usual = apart[(count - 1) / 2];
	}

	for (uint32_t i = 0; i < count; i++) {
		if (b[i].n)
			slow_add(&all[b[i].at], &b[i]);
		if (i + 1 == count || !b[i].n || !b[i + 1].n ||
		    b[i + 1].at - b[i].at > GROUP_REACH * usual)
			continue;
		for (uint32_t at = b[i].at + 1; at < b[i + 1].at; at++) {
			double share = (double)(at - b[i].at) / (b[i + 1].at - b[i].at);
			struct bucket line = {
				.min = b[i].min * (1 - share) + b[i + 1].min * share,
				.max = b[i].max * (1 - share) + b[i + 1].max * share,
				.mean = b[i].mean * (1 - share) + b[i + 1].mean * share,
			};

			slow_add(&all[at], &line);
		}
	}
}

static void check(const struct group_bucket *fast, const struct slow *slow)
{
	double sum = 0;
	double square = 0;
	double mean;

	assert_int_equal(fast->runs, slow->count);
	assert_int_equal(fast->n, slow->n);
	if (!slow->count)
		return;
	for (uint32_t i = 0; i < slow->count; i++)
		sum += slow->means[i];
	mean = sum / slow->count;
	for (uint32_t i = 0; i < slow->count; i++)
		square += (slow->means[i] - mean) * (slow->means[i] - mean);
	assert_true(fast->min == slow->min && fast->max == slow->max);
	assert_true(fabs(fast->mean - mean) <= 1e-9 * fabs(mean) + 1e-12);
	if (slow->count < 2)
		assert_true(isnan(group_deviation(fast)));
	else
		assert_true(fabs(group_deviation(fast) - sqrt(square / (slow->count - 1))) <=
			    1e-7 * fabs(mean) + 1e-9);
}

static void groups_agree_with_a_slow_sum(void **state)
{
	struct group_bucket fast[BUCKETS] = { 0 };
	struct slow slow[BUCKETS] = { 0 };
	uint64_t random = 7;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		struct bucket buckets[BUCKETS];
		uint32_t count = 0;

		for (uint32_t at = 0; at < BUCKETS; at++) {
			double mean = 1e6 + next_random(&random) * (at % 5 ? 1 : 1e-3);

			if (next_random(&random) < 0.3)
				continue;
			buckets[count++] = (struct bucket){
				.at = at,
				.min = mean - 1,
				.max = mean + next_random(&random),
				.mean = mean,
				.n = at % 7 == 3 ? 0 : 1 + (uint64_t)run,
			};
		}
		slow_add_run(slow, buckets, count);
		group_add(fast, buckets, count);
	}
	for (int at = 0; at < BUCKETS; at++)
		check(&fast[at], &slow[at]);
}

/* Else the mean of a group would jump where some of its runs logged something else. */
static void who_lacks_a_bucket_counts_between_its_own(void **state)
{
	static const struct bucket lacks[] = {
		{ .at = 0, .n = 1, .mean = 10, .min = 9, .max = 12 },
		{ .at = 1, .n = 1, .mean = 20, .min = 20, .max = 20 },
		{ .at = 3, .n = 1, .mean = 40, .min = 40, .max = 40 },
		{ .at = 4, .n = 1, .mean = 50, .min = 50, .max = 50 },
		{ .at = 15, .n = 1, .mean = 60, .min = 60, .max = 60 },
		{ .at = 16, .nan = 1, .mean = NAN },
		{ .at = 18, .n = 1, .mean = 70, .min = 70, .max = 70 },
	};
	static const struct bucket has[] = {
		{ .at = 2, .n = 1, .mean = 0, .min = 0, .max = 0 },
		{ .at = 9, .n = 1, .mean = 1, .min = 1, .max = 1 },
		{ .at = 17, .n = 1, .mean = 2, .min = 2, .max = 2 },
		{ .at = 19, .n = 1, .mean = 3, .min = 3, .max = 3 },
	};
	struct group_bucket all[20] = { 0 };
	double kept[20 * 2];

	(void)state;
	group_keep(kept, 2, all, lacks, 7);
	group_add(all, lacks, 7);
	assert_true(all[2].runs == 1 && !all[2].n && !group_has(&all[2]));
	group_keep(kept, 2, all, has, 1);
	group_add(all, has, 1);
	assert_true(all[2].runs == 2 && all[2].n == 1 && all[2].mean == 15);
	assert_true(all[2].min == 0 && all[2].max == 30);
	assert_true(kept[2 * 2] == 30 && kept[2 * 2 + 1] == 0);
	group_add(all, has + 1, 1);
	group_add(all, has + 2, 1);
	group_add(all, has + 3, 1);
	assert_true(all[9].runs == 1 && all[9].mean == 1);   /* too long a silence */
	assert_true(all[17].runs == 1 && all[17].mean == 2); /* behind one that is no number */
	assert_true(all[19].runs == 1 && all[19].mean == 3); /* behind its last */
}

/* In a bucket where a run has nothing else, in one where another has numbers, and beside numbers of its own. */
static void what_is_not_finite_is_counted(void **state)
{
	static const struct bucket diverged[] = {
		{ .at = 0, .n = 2, .nan = 1, .mean = 5, .min = 4, .max = 6, .step_last = 3 },
		{ .at = 1, .nan = 4, .ninf = 1, .mean = NAN, .step_first = 4, .step_last = 9 },
		{ .at = 3, .nan = 2, .pinf = 3, .mean = NAN, .step_first = 30, .step_last = 34 },
	};
	static const struct bucket sound[] = {
		{ .at = 1, .n = 1, .mean = 7, .min = 7, .max = 7, .step_first = 5, .step_last = 5 },
	};
	struct group_bucket all[4] = { 0 };

	(void)state;
	group_add(all, diverged, 3);
	group_add(all, sound, 1);
	assert_true(all[0].runs == 1 && all[0].n == 2 && all[0].nan == 1 && all[0].mean == 5);
	assert_true(all[1].runs == 1 && all[1].n == 1 && all[1].nan == 4 && all[1].ninf == 1);
	assert_true(all[1].mean == 7 && all[1].min == 7 && all[1].max == 7);
	assert_true(all[1].step_first == 4 && all[1].step_last == 9);
	assert_false(group_has(&all[2]));
	assert_true(group_has(&all[3]) && !all[3].runs && !all[3].n);
	assert_true(all[3].nan == 2 && all[3].pinf == 3);
	assert_true(all[3].step_first == 30 && all[3].step_last == 34);
	assert_true(isnan(group_deviation(&all[3])));
}

static void places_keep_the_order_of_numbers(void **state)
{
	static const double numbers[] = { -INFINITY, -1e308, -1.5, -1e-300, 0,
					  1e-310,    1,      2,    1e308,   INFINITY };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_true(sample_real(sample_position(numbers[i])) == numbers[i]);
		assert_true(sample_position(numbers[i]) > SAMPLE_NOWHERE);
		if (i)
			assert_true(sample_position(numbers[i - 1]) < sample_position(numbers[i]));
	}
	assert_int_equal(sample_position(-0.0), sample_position(0.0));
}

static int64_t place_of(double x, bool is_whole)
{
	return is_whole ? (int64_t)x : sample_position(x);
}

/* Every number lies in the bucket whose edges are around it. */
static void edges_hold_what_is_in_a_bucket(void **state)
{
	static const struct {
		double from;
		double to;
		enum sample_scale scale;
	} cases[] = {
		{ -3, 9, SAMPLE_REAL },         { 1e-6, 1e3, SAMPLE_LOG },
		{ -1e308, 1e308, SAMPLE_REAL }, { 5, 5, SAMPLE_REAL },
		{ 2, 2, SAMPLE_LOG },           { 1, 1e6, SAMPLE_WHOLE_LOG },
		{ 7, 7, SAMPLE_WHOLE_LOG },
	};
	uint64_t random = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const bool is_whole = cases[i].scale == SAMPLE_WHOLE_LOG;
		struct sample_shape shape = { place_of(cases[i].from, is_whole),
					      place_of(cases[i].to, is_whole), 17, 500,
					      cases[i].scale };
		struct sample *s = sample_new(a, &shape);
		struct bucket *buckets;
		uint32_t count;
		uint64_t found = 0;

		for (int64_t row = 0; row < 500; row++) {
			double part = next_random(&random);
			double x = cases[i].from * (1 - part) + cases[i].to * part;
			int64_t place;
			struct cell_values one = { 1, &row, &place, &x };

			x = is_whole ? floor(x) : x;
			place = place_of(x, is_whole);
			sample_add_points(s, &one);
		}
		count = sample_finish(s, &buckets);
		for (uint32_t k = 0; k < count; k++) {
			const struct bucket *b = &buckets[k];
			double low = sample_edge(&shape, b->at);
			double high = sample_edge(&shape, b->at + 1);

			found += b->n;
			assert_true(b->min >= low - 1e-9 * fabs(low) &&
				    b->max <= high + 1e-9 * fabs(high));
			assert_true(b->step_first == place_of(b->min, is_whole));
		}
		assert_int_equal(found, 500);
		arena_free(a);
	}
}

/* Of one, of two, between two; runs without a value in a bucket are not there. */
static void percentiles_lie_between_the_means(void **state)
{
	enum { MOST = 11 };
	struct group_bucket all[2] = { 0 };
	double values[2 * MOST];

	(void)state;
	for (int i = 0; i < MOST; i++) {
		const struct bucket both[2] = { { .at = 0, .n = i > 0, .mean = 100 - i },
						{ .at = 1, .n = 1, .mean = i * 3 % MOST } };

		group_keep(values, MOST, all, both, 2);
		group_add(all, both, 2);
	}
	assert_int_equal(all[0].runs, MOST - 1);
	group_order(values, all[0].runs);
	assert_true(values[0] == 90 && values[MOST - 2] == 99);
	group_order(values + MOST, MOST);
	assert_true(group_percentile(values + MOST, MOST, 0) == 0);
	assert_true(group_percentile(values + MOST, MOST, 0.5) == 5);
	assert_true(group_percentile(values + MOST, MOST, 0.1) == 1);
	assert_true(group_percentile(values + MOST, MOST, 1) == MOST - 1);
	assert_true(group_percentile(values + MOST, 2, 0.5) == 0.5);
	assert_true(group_percentile(values + MOST, 1, 0.9) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_agree_with_a_slow_sum),
		cmocka_unit_test(who_lacks_a_bucket_counts_between_its_own),
		cmocka_unit_test(what_is_not_finite_is_counted),
		cmocka_unit_test(percentiles_lie_between_the_means),
		cmocka_unit_test(places_keep_the_order_of_numbers),
		cmocka_unit_test(edges_hold_what_is_in_a_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
