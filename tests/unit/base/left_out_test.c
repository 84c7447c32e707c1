#include "left_out.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arena.h"

static void add(struct left_out_list *list, struct arena *a, enum left_out_kind kind,
		enum left_out_reason reason, const char *name)
{
	const struct left_out member = { kind, reason, str_of(name), STR("1"), 1 };

	left_out_add(list, a, &member);
}

static void test_counts(void **state)
{
	struct arena *a = arena_new(1024);
	struct left_out_list list = { .items = NULL };

	(void)state;
	for (int i = 0; i < 3; i++)
		add(&list, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL, "w1");
	add(&list, a, LEFT_OUT_EVENTS, LEFT_OUT_ROW_FULL, "w1");
	add(&list, a, LEFT_OUT_HISTORY, LEFT_OUT_VALUE_TOO_LARGE, "w1");
	add(&list, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL, "w\n");
	assert_int_equal(list.count, 4);
	assert_int_equal(list.total, 6);
	assert_int_equal(list.items[0].count, 3);
	assert_true(str_is(list.items[0].sample, "1"));
	assert_true(str_is(list.items[3].name, "w␊"));
	arena_free(a);
}

static void test_bounds(void **state)
{
	struct arena *a = arena_new(1024);
	struct left_out_list list = { .items = NULL };
	char *large = arena_zalloc(a, 1, 64 << 10);

	(void)state;
	memset(large, 'x', 64 << 10);
	for (int i = 0; i < 2 * LEFT_OUT_MAX + 5; i++)
		add(&list, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL,
		    arena_printf(a, "w%d", i % (LEFT_OUT_MAX + 1)));
	assert_int_equal(list.count, LEFT_OUT_MAX);
	assert_int_equal(list.total, 2 * LEFT_OUT_MAX + 5);
	assert_int_equal(list.items[0].count, 3);
	list = (struct left_out_list){ .items = NULL };
	left_out_add(&list, a,
		     &(struct left_out){ LEFT_OUT_CONFIG,
					 LEFT_OUT_VALUE_TOO_LARGE,
					 { large, 64 << 10 },
					 { large, 64 << 10 },
					 7 });
	assert_int_equal(list.items[0].name.len, LEFT_OUT_NAME_MAX_BYTES);
	assert_int_equal(list.items[0].sample.len, LEFT_OUT_SAMPLE_MAX_BYTES);
	assert_int_equal(list.items[0].count, 7);
	arena_free(a);
}

static void test_sample_can_be_stored(void **state)
{
	struct arena *a = arena_new(1024);
	struct str text = left_out_text(a, STR("a\0b\xff猫"), 100);

	(void)state;
	assert_true(str_is(text, "a?b?猫"));
	assert_true(str_is(left_out_text(a, STR("a猫"), 3), "a"));
	arena_free(a);
}

static void test_join(void **state)
{
	struct arena *a = arena_new(1024);
	struct left_out_list list = { .items = NULL }, other = { .items = NULL };

	(void)state;
	add(&list, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL, "a");
	for (int i = 0; i < LEFT_OUT_MAX + 3; i++)
		add(&other, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL,
		    arena_printf(a, "%c%d", 'a', i));
	add(&other, a, LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL, "a1");
	left_out_join(&list, a, &other);
	assert_int_equal(list.count, LEFT_OUT_MAX);
	assert_int_equal(list.total, LEFT_OUT_MAX + 5);
	assert_int_equal(list.items[2].count, 2);
	left_out_join(&list, a, &other);
	assert_int_equal(list.items[2].count, 4);
	arena_free(a);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(left_out_kind_name(LEFT_OUT_FIELD), "field");
	assert_string_equal(left_out_kind_name(0), "other");
	assert_string_equal(left_out_kind_name(99), "other");
	for (int i = 0; i < LEFT_OUT_REASONS; i++)
		assert_non_null(left_out_reason_code((enum left_out_reason)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_sample_can_be_stored),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
