/* Listeners by run or project: who is told of, who is taken, how many there may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "listener_list.h"

static struct listener *add(struct listener_list *list, int64_t key)
{
	struct listener *l = calloc(1, sizeof(*l));

	assert_true(listener_list_reserve(list, 1));
	l->key = key;
	listener_list_add(list, l);
	return l;
}

/* All that are told of by the way. */
static size_t take(struct listener_list *list, struct arena *a, struct listener_group **ret_groups)
{
	assert_true(listener_list_wait(list, clock_mono_us()));
	return listener_list_take(list, a, TAKE_TOLD, ret_groups);
}

static void test_only_told_runs_are_taken(void **state)
{
	struct arena *a = arena_new(1024);
	struct listener_list list;
	struct listener_group *groups;

	(void)state;
	listener_list_init(&list, 3000);
	for (int64_t i = 0; i < 1000; i++)
		add(&list, i);
	assert_int_equal(take(&list, a, &groups), 1000);
	assert_int_equal(take(&list, a, &groups), 0);
	listener_list_tell(&list, 417);
	listener_list_tell(&list, 417);
	listener_list_tell(&list, 5000);
	assert_int_equal(take(&list, a, &groups), 1);
	assert_int_equal(groups[0].key, 417);
	assert_int_equal(groups[0].count, 1);
	assert_int_equal(take(&list, a, &groups), 0);
	assert_int_equal(listener_list_take(&list, a, TAKE_RUNS, &groups), 1000);
	listener_list_deinit(&list);
	arena_free(a);
}

static void test_listeners_of_a_run_come_together(void **state)
{
	struct arena *a = arena_new(1024);
	struct listener_list list;
	struct listener_group *groups;
	struct listener *of_one[3];

	(void)state;
	listener_list_init(&list, 10);
	for (size_t i = 0; i < 3; i++)
		of_one[i] = add(&list, 7);
	add(&list, 8);
	assert_int_equal(take(&list, a, &groups), 2);
	listener_list_remove(&list, of_one[1]);
	listener_list_tell(&list, 7);
	assert_int_equal(take(&list, a, &groups), 1);
	assert_int_equal(groups[0].count, 2);
	assert_ptr_equal(groups[0].items[0], of_one[2]);
	assert_ptr_equal(groups[0].items[1], of_one[0]);
	listener_list_remove(&list, of_one[0]);
	listener_list_remove(&list, of_one[2]);
	listener_list_tell(&list, 7);
	assert_int_equal(take(&list, a, &groups), 0);
	listener_list_deinit(&list);
	arena_free(a);
}

static void test_runs_and_projects_are_taken_apart(void **state)
{
	struct arena *a = arena_new(1024);
	struct listener_list list;
	struct listener_group *groups;

	(void)state;
	listener_list_init(&list, 10);
	add(&list, 7);
	add(&list, -7);
	add(&list, -8);
	assert_int_equal(take(&list, a, &groups), 3);
	assert_int_equal(listener_list_take(&list, a, TAKE_RUNS, &groups), 1);
	assert_int_equal(groups[0].key, 7);
	assert_int_equal(listener_list_take(&list, a, TAKE_PROJECTS, &groups), 2);
	listener_list_tell(&list, -7);
	assert_int_equal(listener_list_take(&list, a, TAKE_RUNS, &groups), 2);
	listener_list_deinit(&list);
	arena_free(a);
}

static void test_no_more_than_may_be(void **state)
{
	struct listener_list list;
	struct listener *l;

	(void)state;
	listener_list_init(&list, 2);
	l = add(&list, 1);
	add(&list, 2);
	assert_false(listener_list_reserve(&list, 1));
	listener_list_remove(&list, l);
	add(&list, 3);
	assert_false(listener_list_reserve(&list, 1));
	listener_list_stop(&list);
	assert_false(listener_list_wait(&list, INT64_MAX));
	listener_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_told_runs_are_taken),
		cmocka_unit_test(test_listeners_of_a_run_come_together),
		cmocka_unit_test(test_runs_and_projects_are_taken_apart),
		cmocka_unit_test(test_no_more_than_may_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
