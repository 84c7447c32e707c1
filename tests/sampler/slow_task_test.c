/* slow_task_test.c - work that hangs holds up nobody, not even the end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "fixture.h"
#include "monotonic.h"
#include "slow_task.h"

/* A door that the work waits at. */
struct door {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open;
	bool holds_free; /* the end waits, too */
	int arrived;
	int runs;
	int freed;
	pthread_t freed_by;
};

struct work {
	struct door *door;
	int result;
};

static void door_begin(struct door *door, bool is_open)
{
	*door = (struct door){ .is_open = is_open };
	pthread_mutex_init(&door->lock, NULL);
	pthread_cond_init(&door->changed, NULL);
}

static void door_open(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	door->is_open = true;
	pthread_cond_broadcast(&door->changed);
	pthread_mutex_unlock(&door->lock);
}

static void door_wait_freed(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	while (!door->freed)
		pthread_cond_wait(&door->changed, &door->lock);
	pthread_mutex_unlock(&door->lock);
}

static void door_wait_arrived(struct door *door)
{
	pthread_mutex_lock(&door->lock);
	while (!door->arrived)
		pthread_cond_wait(&door->changed, &door->lock);
	pthread_mutex_unlock(&door->lock);
}

static void run(void *state)
{
	struct work *work = state;
	struct door *door = work->door;

	pthread_mutex_lock(&door->lock);
	door->arrived++;
	pthread_cond_broadcast(&door->changed);
	while (!door->is_open)
		pthread_cond_wait(&door->changed, &door->lock);
	work->result = ++door->runs;
	pthread_mutex_unlock(&door->lock);
}

static void free_work(void *state)
{
	struct door *door = ((struct work *)state)->door;

	pthread_mutex_lock(&door->lock);
	while (door->holds_free && !door->is_open)
		pthread_cond_wait(&door->changed, &door->lock);
	door->freed++;
	door->freed_by = pthread_self();
	pthread_cond_broadcast(&door->changed);
	pthread_mutex_unlock(&door->lock);
	free(state);
}

static struct slow_task *task_on(struct door *door, struct work **ret_work)
{
	struct work *work = calloc(1, sizeof *work);

	work->door = door;
	*ret_work = work;
	return slow_task_new(run, free_work, work);
}

static uint64_t in_ms(uint64_t ms)
{
	return monotonic_ns() + ms * NS_PER_MS;
}

static void test_turns(void **state)
{
	struct door door;
	struct work *work;

	(void)state;
	door_begin(&door, true);
	struct slow_task *task = task_on(&door, &work);
	for (int i = 1; i <= 100; i++) {
		assert_true(slow_task_enter(task, in_ms(120000)));
		assert_int_equal(work->result, i - 1);
		slow_task_leave(task, SLOW_TASK_RUN);
	}
	assert_true(slow_task_enter(task, in_ms(120000)));
	assert_int_equal(work->result, 100);
	slow_task_leave(task, SLOW_TASK_REST);
	slow_task_free(task);
	assert_int_equal(door.freed, 1);
}

static void test_never_run(void **state)
{
	struct door door;
	struct work *work;

	(void)state;
	door_begin(&door, false);
	slow_task_free(task_on(&door, &work));
	assert_int_equal(door.freed, 1);
	slow_task_free(NULL);
}

static void test_stuck(void **state)
{
	struct door door;
	struct work *work;

	(void)state;
	door_begin(&door, false);
	struct slow_task *task = task_on(&door, &work);
	assert_true(slow_task_enter(task, 0));
	slow_task_leave(task, SLOW_TASK_RUN);
	assert_false(slow_task_enter(task, 0));
	assert_false(slow_task_enter(task, in_ms(5)));
	door_open(&door);
	assert_true(slow_task_enter(task, in_ms(120000)));
	assert_int_equal(work->result, 1);
	slow_task_leave(task, SLOW_TASK_REST);
	slow_task_free(task);
	assert_int_equal(door.freed, 1);
}

/* How long it takes to be rid of work that is stuck. */
static double abandon_s(void)
{
	struct door door;
	struct work *work;
	double start;
	double took;

	door_begin(&door, false);
	struct slow_task *task = task_on(&door, &work);
	assert_true(slow_task_enter(task, 0));
	slow_task_leave(task, SLOW_TASK_RUN);
	door_wait_arrived(&door);
	start = now_s();
	slow_task_free(task);
	took = now_s() - start;
	assert_int_equal(door.freed, 0);
	door_open(&door);
	door_wait_freed(&door);
	assert_int_equal(door.runs, 1);
	return took;
}

/* The thread of abandoned work cleans up when it comes free. The machine may stand still at some of them. */
static void test_abandoned(void **state)
{
	int tries = 0;

	(void)state;
	while (abandon_s() >= 5)
		assert_in_range(++tries, 1, 4);
}

/* What the work holds is ended where the work was done: the owner does not wait for that either. */
static void test_stuck_end(void **state)
{
	struct door door;
	struct work *work;

	(void)state;
	door_begin(&door, true);
	struct slow_task *task = task_on(&door, &work);
	assert_true(slow_task_enter(task, 0));
	slow_task_leave(task, SLOW_TASK_RUN);
	assert_true(slow_task_enter(task, in_ms(120000)));
	door.is_open = false;
	door.holds_free = true;
	slow_task_leave(task, SLOW_TASK_REST);
	slow_task_free(task);
	assert_int_equal(door.freed, 0);
	door_open(&door);
	door_wait_freed(&door);
	assert_false(pthread_equal(door.freed_by, pthread_self()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),     cmocka_unit_test(test_never_run),
		cmocka_unit_test(test_stuck),     cmocka_unit_test(test_abandoned),
		cmocka_unit_test(test_stuck_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
