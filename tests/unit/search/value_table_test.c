/* Different values are numbered as they come, however near to each other they are, in few steps each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "value_table.h"

enum { MANY = 20000, STEPS_MAX = 4 };

static struct value number(const char *text)
{
	const struct decimal d = decimal_read(str_of(text));

	return (struct value){ SEARCH_RANK_NUMBER, d.is_plain, d.nearest, d.text };
}

static struct value near_a_tenth(struct arena *a, int i)
{
	struct buf *text = buf_new(a);

	buf_printf(text, "0.1000000000000000000%06d", i + 1);
	buf_add_byte(text, '\0');
	return number(text->at);
}

static void the_same_number_has_one_place(void **state)
{
	struct arena *a = arena_new(4096);
	struct value_table t = { .arena = a };
	const char *const alike[] = { "0.10000000000000000001", "0.100000000000000000010",
				      "1.0000000000000000001e-1", "10000000000000000001e-20" };
	const char *const others[] = { "0.1", "-0.10000000000000000001", "1.0000000000000000001",
				       "0.10000000000000000002" };
	struct value v;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		v = number(alike[i]);
		assert_false(v.is_plain);
		assert_int_equal(value_table_add(&t, &v), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		v = number(others[i]);
		assert_int_equal(value_table_add(&t, &v), i + 1);
	}
	arena_free(a);
}

static void many_numbers_near_one_double_are_found_in_few_steps(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct value_table t = { .arena = a };

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		for (int i = 0; i < MANY; i++) {
			const struct value v = near_a_tenth(a, i);

			assert_false(v.is_plain);
			assert_true(v.number == 0.1);
			assert_int_equal(value_table_add(&t, &v), i);
		}
	}
	assert_int_equal(t.count, MANY);
	assert_true(t.steps < UINT64_C(2) * MANY * STEPS_MAX);
	arena_free(a);
}

static void what_is_there_is_found_in_a_full_one(void **state)
{
	struct arena *a = arena_new(4096);
	struct value_table t = { .arena = a, .limit = 2 };
	const struct value one = number("1");
	const struct value two = number("2");
	const struct value three = number("3");

	(void)state;
	assert_int_equal(value_table_add(&t, &one), 0);
	assert_int_equal(value_table_add(&t, &two), 1);
	assert_int_equal(value_table_add(&t, &one), 0);
	assert_int_equal(value_table_add(&t, &three), DICTIONARY_NONE);
	assert_int_equal(value_table_add(&t, &two), 1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_number_has_one_place),
		cmocka_unit_test(many_numbers_near_one_double_are_found_in_few_steps),
		cmocka_unit_test(what_is_there_is_found_in_a_full_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
