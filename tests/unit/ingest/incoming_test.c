/* What a flusher waits for, and that nothing makes it wait for ever. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "incoming.h"
#include "clock.h"

enum { HOUR_S = 3600 };

static int64_t in_an_hour(void)
{
	return clock_mono_us() + (int64_t)HOUR_S * 1000000;
}

static void test_nobody_is_on_the_way(void **state)
{
	struct incoming *incoming = incoming_new();

	(void)state;
	incoming_wait(incoming, in_an_hour());
	incoming_begin(incoming);
	incoming_end(incoming);
	incoming_wait(incoming, in_an_hour());
	incoming_free(incoming);
}

static void test_one_that_never_comes(void **state)
{
	struct incoming *incoming = incoming_new();

	(void)state;
	incoming_begin(incoming);
	incoming_wait(incoming, clock_mono_us() + 1000);
	incoming_wait(incoming, 0);
	incoming_end(incoming);
	incoming_free(incoming);
}

struct worker {
	struct incoming *incoming;
	_Atomic int came;
};

static void *work(void *p)
{
	struct worker *w = p;

	w->came++;
	incoming_end(w->incoming);
	return NULL;
}

/* Whoever waits goes on behind the last of them, and not before. */
static void test_the_last_one_ends_it(void **state)
{
	enum { WORKERS = 8 };
	struct worker w = { .incoming = incoming_new() };
	pthread_t threads[WORKERS];

	(void)state;
	for (int i = 0; i < WORKERS; i++)
		incoming_begin(w.incoming);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &w), 0);
	incoming_wait(w.incoming, in_an_hour());
	assert_int_equal(w.came, WORKERS);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	incoming_free(w.incoming);
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
