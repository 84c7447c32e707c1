/* Two classes: order, limits, who takes what. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "work_queue.h"

static const void *nobody; /* whose what is popped is */

static void *item(intptr_t number)
{
	return (void *)number;
}

static void any_takes_the_older_writes_only_their_own(void **state)
{
	static const enum work_class classes[] = { WORK_READS, WORK_WRITES, WORK_READS, WORK_WRITES,
						   WORK_WRITES };
	struct work_queue *q = work_queue_new(4);

	(void)state;
	for (intptr_t i = 0; i < 5; i++)
		assert_true(work_queue_push(q, classes[i], item(i + 1), NULL));
	assert_int_equal(work_queue_length(q, WORK_READS), 2);
	assert_int_equal(work_queue_length(q, WORK_WRITES), 3);
	assert_ptr_equal(work_queue_pop(q, TAKES_WRITES, &nobody), item(2));
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &nobody), item(1));
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &nobody), item(3));
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &nobody), item(4));
	work_queue_close(q);
	assert_false(work_queue_push(q, WORK_READS, item(9), NULL));
	assert_ptr_equal(work_queue_pop(q, TAKES_WRITES, &nobody), item(5));
	assert_null(work_queue_pop(q, TAKES_WRITES, &nobody));
	assert_null(work_queue_pop(q, TAKES_ANY, &nobody));
	work_queue_free(q);
}

static void a_full_class_leaves_room_in_the_other(void **state)
{
	struct work_queue *q = work_queue_new(2);

	(void)state;
	assert_true(work_queue_push(q, WORK_READS, item(1), NULL));
	assert_true(work_queue_push(q, WORK_READS, item(2), NULL));
	assert_false(work_queue_push(q, WORK_READS, item(3), NULL));
	assert_true(work_queue_push(q, WORK_WRITES, item(4), NULL));
	work_queue_close(q);
	work_queue_free(q);
}

/* Two at a time of ann's: what others read and what ann writes goes past the rest, which keeps its order. */
static void an_owner_has_so_many_takers(void **state)
{
	struct work_queue *q = work_queue_new(8);
	const char ann = 'a', bob = 'b';
	const void *whose;

	(void)state;
	work_queue_limit_owner(q, 6, 2);
	for (intptr_t i = 1; i <= 5; i++)
		assert_true(work_queue_push(q, WORK_READS, item(i), &ann));
	assert_true(work_queue_push(q, WORK_WRITES, item(6), &ann));
	assert_true(work_queue_push(q, WORK_READS, item(7), &bob));
	assert_true(work_queue_push(q, WORK_READS, item(8), NULL));
	for (intptr_t i = 1; i <= 2; i++) {
		assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(i));
		assert_ptr_equal(whose, &ann);
	}
	for (intptr_t i = 6; i <= 7; i++)
		assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(i));
	assert_ptr_equal(whose, &bob);
	work_queue_done(q, &bob);
	work_queue_done(q, &ann);
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(3));
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(8));
	assert_null(whose);
	work_queue_done(q, NULL);
	work_queue_close(q);
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(4));
	assert_ptr_equal(work_queue_pop(q, TAKES_ANY, &whose), item(5));
	assert_null(work_queue_pop(q, TAKES_ANY, &whose));
	work_queue_free(q);
}

enum { ITEMS = 20000, TAKERS = 6 };

struct taker {
	struct work_queue *q;
	enum work_taker kind;
	size_t taken;
	pthread_t thread;
	const void *owner;
};

static void *take_all(void *p)
{
	struct taker *t = p;

	while (work_queue_pop(t->q, t->kind, &t->owner))
		t->taken++;
	return NULL;
}

/* Nothing is lost and nobody sleeps through: each item is taken before the queue is closed. */
static void every_item_is_taken_once(void **state)
{
	struct work_queue *q = work_queue_new(ITEMS);
	struct taker takers[TAKERS] = { 0 };
	size_t taken = 0;

	(void)state;
	for (int i = 0; i < TAKERS; i++) {
		takers[i].q = q;
		takers[i].kind = i < 2 ? TAKES_WRITES : TAKES_ANY;
		pthread_create(&takers[i].thread, NULL, take_all, &takers[i]);
	}
	for (intptr_t i = 1; i <= ITEMS; i++)
		assert_true(work_queue_push(q, i % 3 ? WORK_WRITES : WORK_READS, item(i), NULL));
	while (work_queue_length(q, WORK_READS) || work_queue_length(q, WORK_WRITES))
		;
	work_queue_close(q);
	for (int i = 0; i < TAKERS; i++) {
		pthread_join(takers[i].thread, NULL);
		taken += takers[i].taken;
	}
	assert_int_equal(taken, ITEMS);
	work_queue_free(q);
}

struct meeting {
	struct taker taker;
	pthread_barrier_t *all;
};

static void *take_one_and_wait_for_all(void *p)
{
	struct meeting *m = p;

	m->taker.taken = work_queue_pop(m->taker.q, m->taker.kind, &m->taker.owner) != NULL;
	pthread_barrier_wait(m->all);
	return NULL;
}

/* Who is busy for long keeps nobody else asleep: this ends only if every taker is woken. */
static void each_item_has_a_taker_of_its_own(void **state)
{
	struct work_queue *q = work_queue_new(TAKERS);
	struct meeting meetings[TAKERS] = { 0 };
	pthread_barrier_t all;

	(void)state;
	pthread_barrier_init(&all, NULL, TAKERS);
	for (int i = 0; i < TAKERS; i++) {
		meetings[i].taker =
			(struct taker){ .q = q, .kind = i < 2 ? TAKES_WRITES : TAKES_ANY };
		meetings[i].all = &all;
		pthread_create(&meetings[i].taker.thread, NULL, take_one_and_wait_for_all,
			       &meetings[i]);
	}
	for (intptr_t i = 1; i <= TAKERS; i++)
		assert_true(work_queue_push(q, WORK_WRITES, item(i), NULL));
	for (int i = 0; i < TAKERS; i++) {
		pthread_join(meetings[i].taker.thread, NULL);
		assert_int_equal(meetings[i].taker.taken, 1);
	}
	pthread_barrier_destroy(&all);
	work_queue_free(q);
}

struct sleeper {
	struct work_queue *q;
	pthread_t thread;
	size_t number;
	size_t *taken_by; /* of the item that was taken last */
	bool stands_by;
};

static void *note_what_is_taken(void *p)
{
	struct sleeper *s = p;
	const void *owner;

	if (s->stands_by)
		work_queue_stand_by(s->q, TAKES_ANY);
	while (work_queue_pop(s->q, TAKES_ANY, &owner))
		__atomic_store_n(s->taken_by, s->number, __ATOMIC_SEQ_CST);
	return NULL;
}

static void wait_until_asleep(struct work_queue *q, size_t count)
{
	while (work_queue_sleeping(q, TAKES_ANY) != count)
		sched_yield();
}

/* Who stands by comes after `first`, which takes every item that comes alone. */
static void assert_taken_by(size_t first, bool others_stand_by)
{
	struct work_queue *q = work_queue_new(TAKERS);
	struct sleeper sleepers[TAKERS];
	size_t taken_by;

	for (size_t i = 0; i < TAKERS; i++) {
		sleepers[i] = (struct sleeper){ .q = q,
						.number = i,
						.taken_by = &taken_by,
						.stands_by = others_stand_by && i != first };
		pthread_create(&sleepers[i].thread, NULL, note_what_is_taken, &sleepers[i]);
		wait_until_asleep(q, i + 1);
	}
	for (intptr_t i = 1; i <= 100; i++) {
		__atomic_store_n(&taken_by, TAKERS, __ATOMIC_SEQ_CST);
		assert_true(work_queue_push(q, WORK_READS, item(i), NULL));
		while (__atomic_load_n(&taken_by, __ATOMIC_SEQ_CST) == TAKERS)
			sched_yield();
		assert_int_equal(taken_by, first);
		wait_until_asleep(q, TAKERS);
	}
	work_queue_close(q);
	for (size_t i = 0; i < TAKERS; i++)
		pthread_join(sleepers[i].thread, NULL);
	work_queue_free(q);
}

/* Its database connection is warm; the one that has slept longest is cold. */
static void the_taker_that_slept_last_is_woken_first(void **state)
{
	(void)state;
	assert_taken_by(TAKERS - 1, false);
}

static void who_stands_by_is_woken_last(void **state)
{
	(void)state;
	assert_taken_by(0, true);
	assert_taken_by(2, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_takes_the_older_writes_only_their_own),
		cmocka_unit_test(a_full_class_leaves_room_in_the_other),
		cmocka_unit_test(an_owner_has_so_many_takers),
		cmocka_unit_test(every_item_is_taken_once),
		cmocka_unit_test(each_item_has_a_taker_of_its_own),
		cmocka_unit_test(the_taker_that_slept_last_is_woken_first),
		cmocka_unit_test(who_stands_by_is_woken_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
