/* Who edited what of a document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "edit_log.h"

static const struct json_doc *doc(struct arena *a, const char *text)
{
	const struct json_doc *read;

	assert_null(json_doc_parse(a, str_of(text), &read));
	return read;
}

static void each_leaf_has_its_editor(void **state)
{
	static const struct {
		const char *before;
		const char *edit;
		const char *patch; /* what people's edits are with it */
		const char *after;
	} cases[] = {
		{ "{}", "{\"a\":1}", "{\"a\":1}", "{\"a\":\"7 mira\"}" },
		{ "{}", "{\"a\":null}", "{\"a\":null}", "{\"a\":\"7 mira\"}" },
		{ "{}", "{\"a\":{}}", "{\"a\":{}}", "{\"a\":\"7 mira\"}" },
		{ "{}", "{\"a\":[{\"b\":1}]}", "{\"a\":[{\"b\":1}]}", "{\"a\":\"7 mira\"}" },
		{ "{}", "{}", "{}", "{}" },
		{ "{\"a\":{\"b\":\"1 ann\"}}", "{\"a\":{\"c\":2}}", "{\"a\":{\"b\":1,\"c\":2}}",
		  "{\"a\":{\"b\":\"1 ann\",\"c\":\"7 mira\"}}" },
		{ "{\"a\":{\"b\":\"1 ann\"}}", "{\"a\":3}", "{\"a\":3}", "{\"a\":\"7 mira\"}" },
		{ "{\"a\":\"1 ann\"}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}",
		  "{\"a\":{\"b\":\"7 mira\"}}" },
		/* what a writer sent since is edited no longer */
		{ "{\"a\":{\"b\":\"1 ann\",\"d\":\"1 ann\"},\"e\":\"1 ann\"}", "{\"a\":{\"c\":2}}",
		  "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":\"1 ann\",\"c\":\"7 mira\"}}" },
	};
	const struct edit by = { STR("mira"), { 7 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *is = edit_log_after(a, doc(a, cases[i].before),
							   doc(a, cases[i].edit),
							   doc(a, cases[i].patch), &by);

		assert_string_equal(json_doc_dump(a, is).at, cases[i].after);
		arena_free(a);
	}
}

static void a_value_is_found(void **state)
{
	static const struct {
		const char *patch;
		const char *editors;
		struct str path;
		bool is_edited;
		const char *user;
	} cases[] = {
		{ "{\"a\":1}", "{\"a\":\"7 mira\"}", STR("a"), true, "mira" },
		{ "{\"a\":1}", "{\"a\":\"7 mira\"}", STR("b"), false, "" },
		{ "{\"a\":1}", "{}", STR("a"), true, "" },
		{ "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":\"7 mira\"}}", STR("a\0b"), true, "mira" },
		{ "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":\"7 mira\"}}", STR("a\0c"), false, "" },
		{ "{\"a\":{}}", "{\"a\":\"7 mira\"}", STR("a"), true, "mira" },
		{ "{}", "{\"a\":\"7 mira\"}", STR("a"), false, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct edit edit;

		assert_int_equal(edit_log_find(doc(a, cases[i].editors), doc(a, cases[i].patch),
					       cases[i].path, &edit),
				 cases[i].is_edited);
		assert_true(str_is(edit.user, cases[i].user));
		assert_int_equal(edit.at.us, edit.user.len ? 7 : 0);
		arena_free(a);
	}
	struct edit none;

	assert_false(edit_log_find(NULL, NULL, STR("a"), &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leaf_has_its_editor),
		cmocka_unit_test(a_value_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
