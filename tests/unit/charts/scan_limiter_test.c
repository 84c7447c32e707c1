/* A few scans run at a time, one per project. A waiting scan starts when another ends, and only a few may wait. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric_summary_cache.c"

#define LONG_US (INT64_C(20) * 1000000) /* nothing here takes as long */

struct waiter {
	struct scan_limiter *limiter;
	int64_t project_id;
	bool was_admitted;
	pthread_t thread;
};

static void *wait_for_scan(void *p)
{
	struct waiter *w = p;

	int64_t until_us = clock_mono_us() + LONG_US;

	if (!scan_limiter_wait(w->limiter, w->project_id, until_us))
		return NULL;
	scan_limiter_end(w->limiter, w->project_id);
	w->was_admitted = clock_mono_us() < until_us;
	return NULL;
}

static void start(struct scan_limiter *limiter, struct waiter *w, int64_t project_id)
{
	size_t before = scan_limiter_waiting(limiter);

	*w = (struct waiter){ .limiter = limiter, .project_id = project_id };
	pthread_create(&w->thread, NULL, wait_for_scan, w);
	while (scan_limiter_waiting(limiter) == before)
		sched_yield();
}

static void check_all_admitted(struct waiter *waiters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_join(waiters[i].thread, NULL);
	for (size_t i = 0; i < count; i++)
		assert_true(waiters[i].was_admitted);
}

static void test_few_and_one_of_a_project(void **state)
{
	struct scan_limiter limiter;

	(void)state;
	scan_limiter_init(&limiter);
	for (int64_t project = 1; project <= SCANS_MAX; project++) {
		assert_true(scan_limiter_try(&limiter, project));
		assert_false(scan_limiter_try(&limiter, project));
	}
	assert_false(scan_limiter_try(&limiter, SCANS_MAX + 1));
	scan_limiter_end(&limiter, 2);
	assert_false(scan_limiter_try(&limiter, 1));
	assert_true(scan_limiter_try(&limiter, SCANS_MAX + 1));
	scan_limiter_deinit(&limiter);
}

/* Scans of one project start one after another, a scan of another project when a slot is free. */
static void test_waiters_are_admitted(void **state)
{
	enum { same = SCANS_WAITING_MAX - 1 };
	struct waiter waiters[SCANS_WAITING_MAX];
	struct scan_limiter limiter;

	(void)state;
	scan_limiter_init(&limiter);
	for (int64_t project = 1; project <= SCANS_MAX; project++)
		assert_true(scan_limiter_try(&limiter, project));
	for (size_t i = 0; i < SCANS_WAITING_MAX; i++)
		start(&limiter, &waiters[i], i < same ? 1 : SCANS_MAX + 1);
	scan_limiter_end(&limiter, 2);
	check_all_admitted(&waiters[same], SCANS_WAITING_MAX - same);
	assert_int_equal(scan_limiter_waiting(&limiter), same);
	scan_limiter_end(&limiter, 1);
	check_all_admitted(waiters, same);
	assert_int_equal(scan_limiter_waiting(&limiter), 0);
	scan_limiter_deinit(&limiter);
}

static void test_not_for_ever(void **state)
{
	int64_t began_us = clock_mono_us();
	struct scan_limiter limiter;

	(void)state;
	scan_limiter_init(&limiter);
	assert_true(scan_limiter_try(&limiter, 1));
	assert_false(scan_limiter_wait(&limiter, 1, began_us + 20 * 1000));
	assert_true(clock_mono_us() - began_us >= 20 * 1000);
	assert_int_equal(scan_limiter_waiting(&limiter), 0);
	assert_true(scan_limiter_wait(&limiter, 2, 0)); /* it is free, however late */
	scan_limiter_deinit(&limiter);
}

static void test_few_wait(void **state)
{
	struct waiter waiters[SCANS_WAITING_MAX];
	int64_t began_us = clock_mono_us();
	struct scan_limiter limiter;

	(void)state;
	scan_limiter_init(&limiter);
	assert_true(scan_limiter_try(&limiter, 1));
	for (size_t i = 0; i < SCANS_WAITING_MAX; i++)
		start(&limiter, &waiters[i], 1);
	assert_false(scan_limiter_wait(&limiter, 1, began_us + LONG_US));
	assert_true(clock_mono_us() - began_us < LONG_US);
	assert_int_equal(scan_limiter_waiting(&limiter), SCANS_WAITING_MAX);
	scan_limiter_end(&limiter, 1);
	check_all_admitted(waiters, SCANS_WAITING_MAX);
	assert_int_equal(scan_limiter_waiting(&limiter), 0);
	scan_limiter_deinit(&limiter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_and_one_of_a_project),
		cmocka_unit_test(test_waiters_are_admitted),
		cmocka_unit_test(test_not_for_ever),
		cmocka_unit_test(test_few_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
