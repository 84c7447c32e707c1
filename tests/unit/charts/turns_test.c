/* Few at once, one of a project; who waits is let in when another ends, and few wait. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock.h"
#include "turns.h"

#define LONG_US (INT64_C(20) * 1000000) /* nothing here takes as long */

struct waiter {
	struct turns *turns;
	int64_t project_id;
	bool had_turn;
	pthread_t thread;
};

static void *wait_for_turn(void *p)
{
	struct waiter *w = p;

	int64_t until_us = clock_mono_us() + LONG_US;

	if (!turns_wait(w->turns, w->project_id, until_us))
		return NULL;
	turns_end(w->turns, w->project_id);
	w->had_turn = clock_mono_us() < until_us;
	return NULL;
}

static void start(struct turns *t, struct waiter *w, int64_t project_id)
{
	size_t before = turns_waiting(t);

	*w = (struct waiter){ .turns = t, .project_id = project_id };
	pthread_create(&w->thread, NULL, wait_for_turn, w);
	while (turns_waiting(t) == before)
		sched_yield();
}

static void check_had_turns(struct waiter *waiters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_join(waiters[i].thread, NULL);
	for (size_t i = 0; i < count; i++)
		assert_true(waiters[i].had_turn);
}

static void test_few_and_one_of_a_project(void **state)
{
	struct turns t;

	(void)state;
	turns_init(&t);
	for (int64_t project = 1; project <= TURNS_MOST; project++) {
		assert_true(turns_try(&t, project));
		assert_false(turns_try(&t, project));
	}
	assert_false(turns_try(&t, TURNS_MOST + 1));
	turns_end(&t, 2);
	assert_false(turns_try(&t, 1));
	assert_true(turns_try(&t, TURNS_MOST + 1));
	turns_deinit(&t);
}

/* Of the same project one after another, and of another one where all places are taken. */
static void test_who_waits_has_a_turn(void **state)
{
	enum { same = TURNS_WAITING_MOST - 1 };
	struct waiter waiters[TURNS_WAITING_MOST];
	struct turns t;

	(void)state;
	turns_init(&t);
	for (int64_t project = 1; project <= TURNS_MOST; project++)
		assert_true(turns_try(&t, project));
	for (size_t i = 0; i < TURNS_WAITING_MOST; i++)
		start(&t, &waiters[i], i < same ? 1 : TURNS_MOST + 1);
	turns_end(&t, 2);
	check_had_turns(&waiters[same], TURNS_WAITING_MOST - same);
	assert_int_equal(turns_waiting(&t), same);
	turns_end(&t, 1);
	check_had_turns(waiters, same);
	assert_int_equal(turns_waiting(&t), 0);
	turns_deinit(&t);
}

static void test_not_for_ever(void **state)
{
	int64_t began_us = clock_mono_us();
	struct turns t;

	(void)state;
	turns_init(&t);
	assert_true(turns_try(&t, 1));
	assert_false(turns_wait(&t, 1, began_us + 20 * 1000));
	assert_true(clock_mono_us() - began_us >= 20 * 1000);
	assert_int_equal(turns_waiting(&t), 0);
	assert_true(turns_wait(&t, 2, 0)); /* it is free, however late */
	turns_deinit(&t);
}

static void test_few_wait(void **state)
{
	struct waiter waiters[TURNS_WAITING_MOST];
	int64_t began_us = clock_mono_us();
	struct turns t;

	(void)state;
	turns_init(&t);
	assert_true(turns_try(&t, 1));
	for (size_t i = 0; i < TURNS_WAITING_MOST; i++)
		start(&t, &waiters[i], 1);
	assert_false(turns_wait(&t, 1, began_us + LONG_US));
	assert_true(clock_mono_us() - began_us < LONG_US);
	assert_int_equal(turns_waiting(&t), TURNS_WAITING_MOST);
	turns_end(&t, 1);
	check_had_turns(waiters, TURNS_WAITING_MOST);
	assert_int_equal(turns_waiting(&t), 0);
	turns_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_and_one_of_a_project),
		cmocka_unit_test(test_who_waits_has_a_turn),
		cmocka_unit_test(test_not_for_ever),
		cmocka_unit_test(test_few_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
