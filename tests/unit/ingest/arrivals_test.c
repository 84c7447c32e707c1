/* What a flusher waits for, and that nothing makes it wait for ever. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arrivals.h"
#include "clock.h"

enum { HOUR_S = 3600 };

static int64_t in_an_hour(void)
{
	return clock_mono_us() + (int64_t)HOUR_S * 1000000;
}

static void test_nobody_is_on_the_way(void **state)
{
	struct arrivals *arrivals = arrivals_new();

	(void)state;
	arrivals_wait(arrivals, in_an_hour());
	arrivals_begin(arrivals);
	arrivals_end(arrivals);
	arrivals_wait(arrivals, in_an_hour());
	arrivals_free(arrivals);
}

static void test_one_that_never_comes(void **state)
{
	struct arrivals *arrivals = arrivals_new();

	(void)state;
	arrivals_begin(arrivals);
	arrivals_wait(arrivals, clock_mono_us() + 1000);
	arrivals_wait(arrivals, 0);
	arrivals_end(arrivals);
	arrivals_free(arrivals);
}

struct worker {
	struct arrivals *arrivals;
	_Atomic int came;
};

static void *work(void *p)
{
	struct worker *w = p;

	w->came++;
	arrivals_end(w->arrivals);
	return NULL;
}

/* Whoever waits goes on behind the last of them, and not before. */
static void test_the_last_one_ends_it(void **state)
{
	enum { WORKERS = 8 };
	struct worker w = { .arrivals = arrivals_new() };
	pthread_t threads[WORKERS];

	(void)state;
	for (int i = 0; i < WORKERS; i++)
		arrivals_begin(w.arrivals);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &w), 0);
	arrivals_wait(w.arrivals, in_an_hour());
	assert_int_equal(w.came, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	arrivals_free(w.arrivals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_is_on_the_way),
		cmocka_unit_test(test_one_that_never_comes),
		cmocka_unit_test(test_the_last_one_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
