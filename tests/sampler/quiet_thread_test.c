/* quiet_thread_test.c - a thread in a program with large thread-local variables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdint.h>
#include <string.h>

#include "quiet_thread.h"

#define LARGE (3 << 20)

static _Thread_local char large[LARGE];

static void *use(void *context)
{
	char on_stack[64 * 1024];

	(void)context;
	memset(on_stack, 1, sizeof on_stack);
	memset(large, 1, sizeof large);
	return (void *)(intptr_t)(large[LARGE - 1] + on_stack[0]);
}

/* The C library takes their room from the thread's stack. */
static void test_large_locals(void **state)
{
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(quiet_thread_start(&thread, "cairn-test", use, NULL), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_int_equal((intptr_t)result, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large_locals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
