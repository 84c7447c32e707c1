/* How many records of each of a writer's streams are stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "record_streams.h"

static const struct str none = { NULL, 0 };

static int begin(void **state)
{
	*state = arena_new(0);
	return 0;
}

static int end(void **state)
{
	arena_free(*state);
	return 0;
}

static struct str numbered(struct arena *a, int i)
{
	return str_of(arena_printf(a, "%0*d", i % 2 ? NAME_STREAM_MAX : 1, i));
}

static void each_has_its_own_number(void **state)
{
	struct arena *a = *state;
	struct str list = none;

	assert_int_equal(record_streams_find(list, STR("a")), 0);
	assert_int_equal(record_streams_sum(list), 0);
	list = record_streams_put(a, list, STR("a"), 7);
	list = record_streams_put(a, list, STR("ab"), INT64_C(1) << 40);
	list = record_streams_put(a, list, none, 300);
	assert_int_equal(record_streams_find(list, STR("a")), 7);
	assert_int_equal(record_streams_find(list, STR("ab")), INT64_C(1) << 40);
	assert_int_equal(record_streams_find(list, STR("")), 300);
	assert_int_equal(record_streams_find(list, STR("b")), 0);
	assert_int_equal(record_streams_sum(list), (INT64_C(1) << 40) + 307);
	list = record_streams_put(a, list, STR("a"), 8);
	assert_int_equal(record_streams_find(list, STR("a")), 8);
	assert_int_equal(record_streams_sum(list), (INT64_C(1) << 40) + 308);
	list = record_streams_put(a, list, STR("c"), INT64_MAX);
	assert_int_equal(record_streams_sum(list), INT64_MAX);
	assert_true(record_streams_are_valid(list));
}

/* One that has no record takes nobody's place, and one that gets none keeps its own. */
static void without_records_nothing_changes(void **state)
{
	struct arena *a = *state;
	struct str list = record_streams_put(a, none, STR("a"), 1);
	struct str same;

	list = record_streams_put(a, list, STR("b"), 2);
	same = record_streams_put(a, list, STR("c"), 0);
	assert_ptr_equal(same.at, list.at);
	same = record_streams_put(a, list, STR("a"), 1);
	assert_ptr_equal(same.at, list.at);
}

/* Up to the limit all are remembered, in whatever order they come again; beyond it the oldest is not. */
static void the_oldest_is_forgotten(void **state)
{
	struct arena *a = *state;
	struct str list = none;

	for (int i = 0; i < RECORD_STREAMS_MAX; i++) {
		assert_false(record_streams_are_full(list));
		list = record_streams_put(a, list, numbered(a, i), 1 + i);
	}
	assert_true(record_streams_are_full(list));
	assert_true(record_streams_are_valid(list));
	for (int i = 0; i < RECORD_STREAMS_MAX; i++)
		assert_int_equal(record_streams_find(list, numbered(a, i)), 1 + i);
	list = record_streams_put(a, list, numbered(a, 0), 1000);
	list = record_streams_put(a, list, numbered(a, RECORD_STREAMS_MAX), 5);
	assert_int_equal(record_streams_find(list, numbered(a, 0)), 1000);
	assert_int_equal(record_streams_find(list, numbered(a, 1)), 0);
	for (int i = 2; i < RECORD_STREAMS_MAX; i++)
		assert_int_equal(record_streams_find(list, numbered(a, i)), 1 + i);
	assert_int_equal(record_streams_find(list, numbered(a, RECORD_STREAMS_MAX)), 5);
	assert_true(record_streams_are_valid(list));
	assert_true(list.len <= RECORD_STREAMS_MAX_BYTES);
}

/* The longest names fit into the room that the limit promises, and one stream more does not. */
static void the_greatest_list(void **state)
{
	struct arena *a = *state;
	struct str list = none;
	char *more;

	for (int i = 0; i < RECORD_STREAMS_MAX; i++)
		list = record_streams_put(a, list, numbered(a, 2 * i + 1), 1 + i);
	assert_int_equal(list.len, RECORD_STREAMS_MAX_BYTES);
	assert_true(record_streams_are_valid(list));
	more = arena_alloc(a, list.len + 9);
	memcpy(more, list.at, list.len);
	memcpy(more + list.len, "\0\0\0\0\0\0\0\0\1", 9);
	assert_false(record_streams_are_valid((struct str){ more, list.len + 9 }));
}

/* As the migration makes it. */
static void of_a_writer_from_before(void **state)
{
	static const char made[] = "\0\0\0\0\0\0\0\1\x2c";
	struct str list = record_streams_put(*state, none, STR(""), 300);

	assert_true(str_equal(list, STR(made)));
}

static void what_is_no_list(void **state)
{
	static const struct {
		struct str bytes;
	} bad[] = {
		{ STR("\0") },
		{ STR("\0\0\0\0\0\0\0\0") },
		{ STR("\0\0\0\0\0\0\0\0\0") },                     /* no record */
		{ STR("\0\x80\0\0\0\0\0\0\1") },                   /* fewer than none */
		{ STR("\1a\0\0\0\0\0\0\0") },                      /* cut */
		{ STR("\1 \0\0\0\0\0\0\0\1") },                    /* no name */
		{ STR("\1a\0\0\0\0\0\0\0\1\1a\0\0\0\0\0\0\0\2") }, /* twice */
		{ STR("\1a\0\0\0\0\0\0\0\1\1") },
	};

	(void)state;
	assert_true(record_streams_are_valid(none));
	assert_true(record_streams_are_valid(STR("\1a\0\0\0\0\0\0\0\1")));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (record_streams_are_valid(bad[i].bytes))
			fail_msg("case %zu", i);
		assert_int_equal(record_streams_find(bad[i].bytes, STR("b")), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_has_its_own_number, begin, end),
		cmocka_unit_test_setup_teardown(without_records_nothing_changes, begin, end),
		cmocka_unit_test_setup_teardown(the_oldest_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(the_greatest_list, begin, end),
		cmocka_unit_test_setup_teardown(of_a_writer_from_before, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_list, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
