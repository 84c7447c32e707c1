/* The thread that loads columns sleeps until a query wants some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock.h"
#include "search_parts.h"

enum { SHORT_US = 50 * 1000, LONG_US = 60 * 1000 * 1000 };

static int64_t waited_us(struct search *s, int64_t us)
{
	int64_t began_us = clock_mono_us();

	search_wait(s, us);
	return clock_mono_us() - began_us;
}

/* A query does this at its end. A wait that begins later must see it, too. */
static void want(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_wanted = true;
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

static void a_wait_ends_when_columns_are_wanted(void **state)
{
	struct search *s = search_new(1 << 20);

	(void)state;
	want(s);
	assert_true(waited_us(s, LONG_US) < LONG_US);
	search_free(s);
}

static void what_was_wanted_once_ends_one_wait(void **state)
{
	struct search *s = search_new(1 << 20);

	(void)state;
	want(s);
	assert_true(waited_us(s, LONG_US) < LONG_US);
	assert_true(waited_us(s, SHORT_US) >= SHORT_US);
	search_free(s);
}

static void without_a_wish_a_wait_takes_its_time(void **state)
{
	struct search *s = search_new(1 << 20);

	(void)state;
	assert_true(waited_us(s, SHORT_US) >= SHORT_US);
	search_free(s);
}

static void after_the_close_no_wait_takes_time(void **state)
{
	struct search *s = search_new(1 << 20);

	(void)state;
	search_close(s);
	assert_true(waited_us(s, LONG_US) < LONG_US);
	assert_true(waited_us(s, LONG_US) < LONG_US);
	search_free(s);
}

/* Queries wait for columns only if a thread loads them, and it loads none without memory for them. */
static void waiting_is_following_if_there_is_memory(void **state)
{
	(void)state;
	for (int has_memory = 0; has_memory < 2; has_memory++) {
		struct search *s = search_new(has_memory ? 1 << 20 : 0);

		assert_false(s->is_followed);
		search_wait(s, 0);
		assert_int_equal(s->is_followed, has_memory);
		search_free(s);
	}
}

/* The project stays while a query holds it, and each query of it takes the same. */
static void a_project_is_created_by_the_first_query_of_it(void **state)
{
	struct search *s = search_new(1 << 20);
	struct search_project *seven = search_take(s, 7);
	struct search_project *eight = search_take(s, 8);

	(void)state;
	assert_ptr_not_equal(seven, eight);
	assert_ptr_equal(search_take(s, 7), seven);
	assert_ptr_equal(search_take(s, 8), eight);
	assert_int_equal(seven->project_id, 7);
	assert_int_equal(seven->holders, 2);
	search_give(s, seven);
	assert_int_equal(seven->holders, 1);
	search_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_ends_when_columns_are_wanted),
		cmocka_unit_test(what_was_wanted_once_ends_one_wait),
		cmocka_unit_test(without_a_wish_a_wait_takes_its_time),
		cmocka_unit_test(after_the_close_no_wait_takes_time),
		cmocka_unit_test(waiting_is_following_if_there_is_memory),
		cmocka_unit_test(a_project_is_created_by_the_first_query_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
