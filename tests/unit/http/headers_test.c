#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "headers.h"

static int set_up(void **state)
{
	*state = arena_new(1024);
	return 0;
}

static int tear_down(void **state)
{
	arena_free(*state);
	return 0;
}

static void add(struct headers *h, struct arena *a, const char *name, const char *value)
{
	headers_add(h, a, str_of(name), str_of(value));
}

static void lines_are_found_by_name(void **state)
{
	struct headers h = { .count = 0 };

	add(&h, *state, "Accept", "text/csv");
	add(&h, *state, "X-Empty", "");
	add(&h, *state, "ACCEPT", "*/*;q=0.1");
	assert_true(str_is(headers_find(&h, "accept"), "text/csv"));
	assert_true(str_is(headers_list(&h, *state, "Accept"), "text/csv, */*;q=0.1"));
	assert_int_equal(headers_count(&h, "aCCept"), 2);
	assert_int_equal(headers_count(&h, "Accep"), 0);
	assert_non_null(headers_find(&h, "x-empty").at);
	assert_null(headers_find(&h, "X-Other").at);
	assert_int_equal(headers_list(&h, *state, "X-Other").len, 0);
	assert_null(h.fault);
}

static void what_others_may_read_otherwise_is_a_fault(void **state)
{
	static const struct {
		struct str name;
		struct str value;
		bool is_fine;
	} cases[] = {
		{ STR("X-A"), STR("b"), true },
		{ STR("x!#$%&'*+-.^_`|~9"), STR("a\tb \xc3\xa9 \xff"), true },
		{ STR("X"), STR(""), true },
		{ STR(""), STR("b"), false },
		{ STR("X "), STR("b"), false },
		{ STR(" X"), STR("b"), false },
		{ STR("X\t"), STR("b"), false },
		{ STR("X\0Y"), STR("b"), false },
		{ STR("X(Y)"), STR("b"), false },
		{ STR("X\xc3\xa9"), STR("b"), false },
		{ STR("X"), STR("a\rb"), false },
		{ STR("X"), STR("a\nb"), false },
		{ STR("X"), STR("a\0b"), false },
		{ STR("X"), STR("a\x7f"), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct headers h = { .count = 0 };

		headers_add(&h, *state, cases[i].name, cases[i].value);
		assert_int_equal(h.fault == NULL, cases[i].is_fine);
	}
}

static void no_line_is_lost_in_silence(void **state)
{
	struct headers h = { .count = 0 };

	for (int i = 0; i < HEADERS_MAX; i++)
		add(&h, *state, "X", "y");
	assert_false(h.too_many);
	add(&h, *state, "X", "y");
	assert_true(h.too_many);
	assert_int_equal(h.count, HEADERS_MAX);
}

static void lists_have_weights(void **state)
{
	struct str list = STR(",gzip;q=0.5 , br ; q = 1,*;q=x,a;b=c;Q=0, d;q=,,");
	static const struct {
		const char *name;
		double weight;
	} items[] = { { "gzip", 0.5 }, { "br", 1 }, { "*", 0 }, { "a", 0 }, { "d", 0 } };
	struct header_item item;

	(void)state;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		assert_true(headers_next_item(&list, &item));
		assert_true(str_is(item.name, items[i].name));
		assert_float_equal(item.weight, items[i].weight, 0);
	}
	assert_false(headers_next_item(&list, &item));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_by_name),
		cmocka_unit_test(what_others_may_read_otherwise_is_a_fault),
		cmocka_unit_test(no_line_is_lost_in_silence),
		cmocka_unit_test(lists_have_weights),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
