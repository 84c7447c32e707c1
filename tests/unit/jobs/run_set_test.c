/* The set of runs that wait: each once, in order, bounded, for many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clock.h"
#include "run_set.h"

static void add(struct run_set *set, int64_t run_id)
{
	run_set_add(set, (struct run_set_item){ .run_id = run_id, .project_id = run_id * 2 });
}

static int64_t take(struct run_set *set)
{
	struct run_set_item item;

	if (!run_set_take(set, 0, &item))
		return 0;
	assert_int_equal(item.project_id, item.run_id * 2);
	return item.run_id;
}

static void test_each_once_in_order(void **state)
{
	struct run_set *set = run_set_new(8);

	(void)state;
	assert_int_equal(take(set), 0);
	add(set, 5);
	add(set, 3);
	add(set, 5);
	add(set, 9);
	add(set, 3);
	assert_int_equal(run_set_count(set), 3);
	assert_int_equal(take(set), 5);
	add(set, 5);
	assert_int_equal(take(set), 3);
	assert_int_equal(take(set), 9);
	assert_int_equal(take(set), 5);
	assert_int_equal(take(set), 0);
	run_set_free(set);
}

/* Until the moment: then what was added meanwhile comes; of too many the oldest comes early. */
static void test_put_off(void **state)
{
	struct run_set *set = run_set_new(8);

	(void)state;
	run_set_put_off(set, 5, INT64_MAX, RUN_SET_REST);
	run_set_put_off(set, 6, 0, RUN_SET_REST);
	add(set, 5);
	add(set, 6);
	add(set, 7);
	assert_int_equal(take(set), 6);
	assert_int_equal(take(set), 7);
	assert_int_equal(take(set), 0);
	run_set_put_off(set, 5, 0, RUN_SET_REST);
	assert_int_equal(take(set), 5);
	assert_int_equal(take(set), 0);
	run_set_put_off(set, 5, INT64_MAX, RUN_SET_REST);
	add(set, 5);
	for (int64_t i = 0; i < RUN_SET_PUT_OFF - 2; i++)
		run_set_put_off(set, 100 + i, INT64_MAX, RUN_SET_REST);
	assert_int_equal(take(set), 0);
	run_set_put_off(set, 99, INT64_MAX, RUN_SET_REST);
	assert_int_equal(take(set), 5);
	add(set, 5);
	assert_int_equal(take(set), 5);
	run_set_free(set);
}

/* What is pressing ends a rest, but opens no bar. */
static void test_pressing(void **state)
{
	struct run_set_item rests = { .run_id = 5, .project_id = 10, .pressing = true };
	struct run_set_item barred = {
		.run_id = 6, .project_id = 12, .pressing = true, .whatever = true
	};
	struct run_set *set = run_set_new(8);
	struct run_set_item item;

	(void)state;
	run_set_put_off(set, 5, INT64_MAX, RUN_SET_REST);
	run_set_put_off(set, 6, INT64_MAX, RUN_SET_BARRED);
	run_set_add(set, rests);
	add(set, 6);
	run_set_add(set, barred);
	assert_int_equal(take(set), 5);
	assert_int_equal(take(set), 0);
	run_set_put_off(set, 6, 0, RUN_SET_BARRED);
	assert_true(run_set_take(set, 0, &item));
	assert_int_equal(item.run_id, 6);
	assert_true(item.whatever);
	run_set_free(set);
}

/* Who waits sees the end of a rest that began, or was asked for, while it waits. */
static void test_rest_ends(void **state)
{
	struct run_set *set = run_set_new(8);
	struct run_set_item item;
	int64_t until_us;
	int64_t early;

	(void)state;
	do { /* once more where a busy machine came too late to see it rest */
		until_us = clock_mono_us() + 20 * 1000;
		run_set_put_off(set, 5, until_us, RUN_SET_REST);
		add(set, 5);
		early = take(set);
	} while (early && clock_mono_us() >= until_us);
	assert_int_equal(early, 0);
	assert_true(run_set_take(set, clock_mono_us() + 60 * 1000 * 1000, &item));
	assert_int_equal(item.run_id, 5);
	run_set_free(set);
}

static void test_limit(void **state)
{
	struct run_set *set = run_set_new(3);

	(void)state;
	for (int64_t i = 1; i <= 10; i++)
		add(set, i);
	assert_int_equal(run_set_count(set), 3);
	for (int64_t i = 1; i <= 3; i++)
		assert_int_equal(take(set), i);
	add(set, 4);
	assert_int_equal(take(set), 4);
	run_set_free(set);
}

/* Far more runs go through it than it has places for: what was taken makes room. */
static void test_many(void **state)
{
	enum { LIMIT = 50, ROUNDS = 20000 };
	struct run_set *set = run_set_new(LIMIT);
	int64_t next_in = 1, next_out = 1;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < i % 7 && next_in - next_out < LIMIT; k++) {
			add(set, next_in * 4194304);
			add(set, next_out * 4194304);
			next_in++;
		}
		assert_int_equal(run_set_count(set), next_in - next_out);
		if (next_out < next_in)
			assert_int_equal(take(set), next_out++ * 4194304);
	}
	while (next_out < next_in)
		assert_int_equal(take(set), next_out++ * 4194304);
	assert_int_equal(take(set), 0);
	run_set_free(set);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

enum { RUNS = 3000, TAKERS = 2 };

struct shared {
	struct run_set *set;
	_Atomic int taken[RUNS + 1];
};

static void *take_all(void *p)
{
	struct shared *shared = p;
	struct run_set_item item;

	while (run_set_take(shared->set, INT64_MAX / 2, &item))
		atomic_fetch_add(&shared->taken[item.run_id], 1);
	return NULL;
}

static bool all_taken(struct shared *shared)
{
	for (int i = 1; i <= RUNS; i++) {
		if (!atomic_load(&shared->taken[i]))
			return false;
	}
	return true;
}

static void test_takers_share(void **state)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	pthread_t takers[TAKERS];

	(void)state;
	shared->set = run_set_new(RUNS);
	for (int i = 0; i < TAKERS; i++)
		pthread_create(&takers[i], NULL, take_all, shared);
	for (int64_t i = 1; i <= RUNS; i++)
		add(shared->set, i);
	while (!all_taken(shared))
		sched_yield();
	run_set_close(shared->set);
	for (int i = 0; i < TAKERS; i++)
		pthread_join(takers[i], NULL);
	for (int i = 1; i <= RUNS; i++)
		assert_int_equal(shared->taken[i], 1);
	run_set_free(shared->set);
	free(shared);
}

static void test_a_closed_set_gives_nothing(void **state)
{
	struct run_set *set = run_set_new(4);

	(void)state;
	add(set, 1);
	run_set_close(set);
	assert_int_equal(take(set), 0);
	run_set_free(set);
	run_set_free(NULL);
}

static void test_waits_until_the_time(void **state)
{
	struct run_set *set = run_set_new(4);
	int64_t until_us = clock_mono_us() + 20000;
	struct run_set_item item;

	(void)state;
	assert_false(run_set_take(set, until_us, &item));
	assert_true(clock_mono_us() >= until_us);
	run_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once_in_order),
		cmocka_unit_test(test_put_off),
		cmocka_unit_test(test_pressing),
		cmocka_unit_test(test_rest_ends),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_takers_share),
		cmocka_unit_test(test_a_closed_set_gives_nothing),
		cmocka_unit_test(test_waits_until_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
