/* Leaves of a document in their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "leaves.h"

static struct leaves split(struct arena *a, const char *text)
{
	const struct json_doc *doc;
	struct leaves leaves;

	assert_null(json_doc_parse(a, str_of(text), &doc));
	leaves_split(a, doc, LEAVES_ALONE, &leaves);
	return leaves;
}

static void those_below_a_path_stand_together(void **state)
{
	static const struct {
		struct str path;
		size_t count;
		struct str first;
	} cases[] = {
		{ STR("a"), 3, STR("a\0b") },
		{ STR("a\0b"), 0, { 0 } },
		{ STR("a\0c"), 2, STR("a\0c\0d") },
		{ STR("a "), 1, STR("a \0b") },
		{ STR("A"), 0, { 0 } },
		{ STR("b"), 0, { 0 } },
		{ STR("c"), 1, STR("c\0") },
		{ STR("d"), 0, { 0 } },
		{ STR(""), 0, { 0 } },
	};
	struct arena *a = arena_new(4096);
	const struct leaves nothing = { NULL, 0 };
	const struct leaves leaves =
		split(a, "{\"a\":{\"b\":1,\"c\":{\"d\":2,\"e\":3}},\"a \":{\"b\":4},"
			 "\"ab\":5,\"b\":6,\"c\":{\"\":7}}");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct leaves below = leaves_below(&leaves, cases[i].path);

		assert_int_equal(below.count, cases[i].count);
		if (below.count)
			assert_true(str_equal(below.at[0].path, cases[i].first));
	}
	assert_int_equal(leaves_below(&nothing, STR("a")).count, 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_below_a_path_stand_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
