/* RFC 6901: its own examples, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "json_doc.h"
#include "json_pointer.h"

static const char document[] =
	"{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
	"\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"o\":{\"01\":{\"\":9}}}";

static int begin(void **state)
{
	*state = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	arena_free(*state);
	return 0;
}

static err_t find(struct arena *a, const char *pointer, const struct json_doc **ret_value)
{
	const struct json_doc *doc;

	assert_null(json_doc_parse(a, str_of(document), &doc));
	return json_pointer_find(a, doc, "pointer", str_of(pointer), ret_value);
}

static void finds_what_is_there(void **state)
{
	static const struct {
		const char *pointer;
		const char *value;
	} cases[] = {
		{ "/foo", "[\"bar\",\"baz\"]" },
		{ "/foo/0", "\"bar\"" },
		{ "/foo/1", "\"baz\"" },
		{ "/", "0" },
		{ "/a~1b", "1" },
		{ "/c%d", "2" },
		{ "/e^f", "3" },
		{ "/g|h", "4" },
		{ "/i\\j", "5" },
		{ "/k\"l", "6" },
		{ "/ ", "7" },
		{ "/m~0n", "8" },
		{ "/o/01", "{\"\":9}" },
		{ "/o/01/", "9" },
	};
	struct arena *a = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct json_doc *value;

		assert_null(find(a, cases[i].pointer, &value));
		assert_non_null(value);
		assert_true(str_is(json_doc_dump(a, value), cases[i].value));
	}
}

static void the_empty_one_is_the_whole(void **state)
{
	const struct json_doc *value;

	assert_null(find(*state, "", &value));
	assert_int_equal(value->count, 11);
}

static void nothing_is_where_nothing_is(void **state)
{
	static const char *const none[] = { "/bar",
					    "/foo/2",
					    "/foo/-",
					    "/foo/01",
					    "/foo/+1",
					    "/foo/ 1",
					    "/foo/1/0",
					    "/foo/",
					    "//foo",
					    "/o/1",
					    "/m",
					    "/o/01//",
					    "/foo/99999999999999999999999999999999" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		const struct json_doc *value;

		assert_null(find(*state, none[i], &value));
		assert_null(value);
	}
}

static void refuses_what_is_none(void **state)
{
	static const char *const wrong[] = { "foo", "#/foo", "/m~", "/m~2n", "/foo/~", "/none/~x" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct json_doc *value;
		err_t e = find(*state, wrong[i], &value);

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->field, "pointer");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_what_is_there, begin, end),
		cmocka_unit_test_setup_teardown(the_empty_one_is_the_whole, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_where_nothing_is, begin, end),
		cmocka_unit_test_setup_teardown(refuses_what_is_none, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
