#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "json_doc.h"

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

static const struct json_doc *doc(struct arena *a, const char *text)
{
	const struct json_doc *d = NULL;

	assert_null(json_doc_parse(a, str_of(text), &d));
	return d;
}

static void writes_sorted_and_keeps_numbers(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "{\"b\":1,\"a\":{\"z\":[],\"aa\":{}}}", "{\"a\":{\"aa\":{},\"z\":[]},\"b\":1}" },
		{ "[12345678901234567890,1.0,1e5,-0,0.10]",
		  "[12345678901234567890,1.0,1e5,-0,0.10]" },
		{ "[NaN,Infinity,-Infinity]", "[\"NaN\",\"Infinity\",\"-Infinity\"]" },
		{ " \"\\u00e9\\n\" ", "\"\xc3\xa9\\n\"" },
		{ "[true,false,null]", "[true,false,null]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(json_doc_dump(*state, doc(*state, cases[i].in)).at,
				    cases[i].out);
}

static void compares_by_value(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool equal;
	} cases[] = {
		{ "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true },
		{ "1", "1.0", true },
		{ "1e2", "100", true },
		{ "NaN", "NaN", true },
		{ "NaN", "\"NaN\"", true },
		{ "-Infinity", "\"-Infinity\"", true },
		{ "-Infinity", "Infinity", false },
		{ "12345678901234567890", "12345678901234567891", false },
		{ "9007199254740992", "9007199254740993", false },
		{ "{\"a\":1}", "{\"a\":1,\"b\":null}", false },
		{ "{\"a\":null}", "{\"b\":null}", false },
		{ "[1,2]", "[2,1]", false },
		{ "\"1\"", "1", false },
		{ "true", "false", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(json_doc_equal(doc(*state, cases[i].a), doc(*state, cases[i].b)),
				 cases[i].equal);
}

static void merges_deeply(void **state)
{
	static const char *const cases[][3] = {
		{ "{}", "{\"a\":1}", "{\"a\":1}" },
		{ "{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"y\":3,\"z\":4}}",
		  "{\"a\":{\"x\":1,\"y\":3,\"z\":4}}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":5}", "{\"a\":5}" },
		{ "{\"a\":5}", "{\"a\":{\"x\":null}}", "{\"a\":{\"x\":null}}" },
		{ "{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct json_doc *d =
			json_doc_merge(*state, doc(*state, cases[i][0]), doc(*state, cases[i][1]));

		assert_string_equal(json_doc_dump(*state, d).at, cases[i][2]);
	}
}

/* The examples of RFC 7386, appendix A. */
static void patches_as_the_rfc_says(void **state)
{
	static const char *const cases[][3] = {
		{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
		{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
		{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
		{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		  "{\"a\":{\"b\":\"d\"}}" },
		{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
		{ "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
		{ "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
		{ "{\"a\":\"foo\"}", "null", "null" },
		{ "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
		{ "{\"e\":null}", "{\"a\":1}", "{\"a\":1,\"e\":null}" },
		{ "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
		{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct json_doc *d =
			json_doc_patch(*state, doc(*state, cases[i][0]), doc(*state, cases[i][1]));

		assert_string_equal(json_doc_dump(*state, d).at, cases[i][2]);
	}
}

static void builds_and_changes(void **state)
{
	struct arena *a = *state;
	struct json_member members[] = {
		{ STR("b"), json_doc_of_int64(a, INT64_MIN) },
		{ STR("a"), json_doc_text(a, STR("old")) },
		{ STR("a"), json_doc_of_double(a, 0.5) },
	};
	const struct json_doc *items[] = { json_doc_null(), json_doc_bool(true) };
	const struct json_doc *d = json_doc_object(a, members, 3);

	assert_string_equal(json_doc_dump(a, d).at, "{\"a\":0.5,\"b\":-9223372036854775808}");
	d = json_doc_with(a, d, STR("aa"), json_doc_array(a, items, 2));
	d = json_doc_with(a, d, STR("b"), NULL);
	d = json_doc_with(a, d, STR("nothing"), NULL);
	assert_string_equal(json_doc_dump(a, d).at, "{\"a\":0.5,\"aa\":[null,true]}");
	d = json_doc_with(a, json_doc_empty(), STR("x"), json_doc_empty());
	assert_string_equal(json_doc_dump(a, d).at, "{\"x\":{}}");
	d = json_doc_with(a, json_doc_text(a, STR("no object")), STR("x"), json_doc_null());
	assert_string_equal(json_doc_dump(a, d).at, "{\"x\":null}");
}

static void finds_members_and_numbers(void **state)
{
	const struct json_doc *d = doc(*state, "{\"a\":3.0,\"b\":3.5,\"c\":9223372036854775807,"
					       "\"d\":\"3\",\"e\":{\"f\":1e3}}");
	int64_t n = 0;
	double x = 0;

	assert_true(json_doc_int64(json_doc_get_named(d, "a"), &n) && n == 3);
	assert_false(json_doc_int64(json_doc_get_named(d, "b"), &n));
	assert_true(json_doc_double(json_doc_get_named(d, "b"), &x) && x == 3.5);
	assert_true(json_doc_int64(json_doc_get_named(d, "c"), &n) && n == INT64_MAX);
	assert_false(json_doc_int64(json_doc_get_named(d, "d"), &n));
	assert_true(json_doc_int64(json_doc_get_named(json_doc_get_named(d, "e"), "f"), &n));
	assert_int_equal(n, 1000);
	assert_null(json_doc_get_named(json_doc_get_named(d, "zzz"), "f"));
	assert_null(json_doc_get_named(json_doc_get_named(d, "a"), "f"));
}

/* [0,0,...]: as many values as are allowed, the array included, and one more. */
static void values_are_bounded(void **state)
{
	for (int more = 0; more < 2; more++) {
		size_t items = (size_t)JSON_DOC_MAX_VALUES - 1 + (size_t)more;
		struct arena *a = arena_new(4096);
		char *text = arena_alloc(a, 2 * items + 2);
		const struct json_doc *d = NULL;
		err_t e;

		text[0] = '[';
		for (size_t i = 0; i < items; i++)
			memcpy(text + 1 + 2 * i, "0,", 2);
		text[2 * items] = ']';
		e = json_doc_parse(a, (struct str){ text, 2 * items + 1 }, &d);
		assert_int_equal(e != NULL, more);
		if (e)
			assert_int_equal(e->kind, ERR_UNPROCESSABLE);
		else
			assert_int_equal(json_doc_count(d), JSON_DOC_MAX_VALUES);
		arena_free(a);
	}
	(void)state;
}

static void numbers_are_bounded(void **state)
{
	static const struct {
		const char *text;
		bool fits;
	} cases[] = {
		{ "1e400", true },
		{ "1e401", false },
		{ "1e-400", true },
		{ "1e-401", false },
		{ "1E+400", true },
		{ "1e99999999999999999999", false },
		{ "1e-99999999999999999999", false },
	};
	struct arena *a = *state;
	const struct json_doc *d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(!json_doc_parse(a, str_of(cases[i].text), &d), cases[i].fits);
	for (int more = 0; more < 2; more++) {
		char digits[JSON_DOC_MAX_DIGITS + 1];

		memset(digits, '1', sizeof(digits));
		assert_int_equal(
			!json_doc_parse(
				a, (struct str){ digits, JSON_DOC_MAX_DIGITS + (size_t)more }, &d),
			!more);
	}
}

/* An error is to be read, whatever came. */
static void names_are_not_told_whole_when_long(void **state)
{
	struct arena *a = *state;
	char *name = arena_zalloc(a, 100001, 1);
	const struct json_doc *d;
	err_t e;

	for (size_t i = 0; i < 100000; i += 2)
		memcpy(name + i, "\xc3\xbc", 2);
	e = json_doc_parse(a, str_of(arena_printf(a, "{\"%s\":1,\"%s\":2}", name, name)), &d);
	assert_true(strlen(e->message) < JSON_SCAN_NAME_SHOWN + 100);
	assert_true(str_is_utf8(str_of(e->message)));
	e = json_doc_parse(a, str_of(arena_printf(a, "{\"x%s\":?}", name)), &d);
	assert_in_range(strlen(e->field), JSON_SCAN_NAME_SHOWN, JSON_SCAN_NAME_SHOWN + 3);
	assert_true(str_is_utf8(str_of(e->field)));
}

/* What is kept of a text, and the names that are left out, each with its reason. */
static void members_cost_only_themselves(void **state)
{
	static const struct {
		const char *in;
		const char *out;
		const char *left_out;
		bool is_wrapped;
	} cases[] = {
		{ "{\"a\":1e999,\"b\":2}", "{\"b\":2}", "a:value-invalid", false },
		{ "{\"a\":{\"b\":[1e999],\"c\":1},\"d\":[{\"e\":1e999}]}", "{\"a\":{\"c\":1}}",
		  "a.b:value-invalid d:value-invalid", false },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"b\":2}", "a:name-repeated", false },
		{ "{\"a\":[{\"b\":1,\"b\":2}],\"c\":1}", "{\"c\":1}", "a:value-invalid", false },
		{ "{\"a\":{\"value\":1e999},\"b\":{\"value\":{\"c\":1e999,\"d\":1}}}",
		  "{\"b\":{\"value\":{\"d\":1}}}", "a:value-invalid b.c:value-invalid", true },
		{ "{\"a\":{\"value\":1e999},\"b\":{\"value\":1}}", "{\"a\":{},\"b\":{\"value\":1}}",
		  "a.value:value-invalid", false },
		{ "{\"a\":\"0123456789012345678901234567890\",\"b\":2}", "{\"b\":2}",
		  "a:value-too-large", false },
		{ "{\"a\":\"0123456789012345\",\"b\":\"0123456789012345\",\"c\":1}",
		  "{\"a\":\"0123456789012345\",\"c\":1}", "b:document-full", false },
		{ "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],\"b\":1}",
		  "{\"b\":1}", "a:value-too-large", false },
		{ "{\"a\":\"x\\u0000\",\"n\\u0000\":[\"\\u0000\"]}",
		  "{\"a\":\"x\u2400\",\"n\u2400\":[\"\u2400\"]}", "", false },
		{ "[1e999]", NULL, "", false },
		{ "{\"a\":1", NULL, "", false },
		{ "{\"a\":nope}", NULL, "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct left_out_list list = { .count = 0 };
		const struct json_doc_members how = { LEFT_OUT_CONFIG, 30, cases[i].is_wrapped,
						      &list };
		const struct json_doc *d = NULL;
		err_t e = json_doc_parse_members(*state, str_of(cases[i].in), &how, &d);
		const char *told = "";

		for (size_t k = 0; k < list.count; k++)
			told = arena_printf(*state, "%s%s%.*s:%s", told, k ? " " : "",
					    STR_ARG(list.items[k].name),
					    left_out_reason_code(list.items[k].reason));
		assert_string_equal(told, cases[i].left_out);
		assert_int_equal(!e, cases[i].out != NULL);
		if (!e)
			assert_string_equal(json_doc_dump(*state, d).at, cases[i].out);
	}
}

/* "[7,7,…]" of so many. */
static struct str sevens(struct arena *a, size_t count)
{
	char *text = arena_alloc(a, 2 * count + 2);

	for (size_t i = 0; i < count; i++)
		memcpy(text + 1 + 2 * i, "7,", 2);
	text[0] = '[';
	text[2 * count] = ']';
	text[2 * count + 1] = '\0';
	return (struct str){ text, 2 * count + 1 };
}

/* {"a": …, "b": …} has the two lists, themselves and the object: three values more. */
static void members_share_the_limit_of_values(void **state)
{
	static const struct {
		size_t a, b;
		size_t kept;
		const char *left_out;
	} cases[] = {
		{ JSON_DOC_MAX_VALUES - 4, 1, 2, NULL },
		{ JSON_DOC_MAX_VALUES - 3, 1, 1, "b" },
		{ JSON_DOC_MAX_VALUES, 1, 1, "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct left_out_list list = { .count = 0 };
		const struct json_doc_members how = { LEFT_OUT_CONFIG, 1 << 20, false, &list };
		const struct json_doc *d = NULL;

		assert_null(json_doc_parse_members(a,
						   str_of(arena_printf(a, "{\"a\":%s,\"b\":%s}",
								       sevens(a, cases[i].a).at,
								       sevens(a, cases[i].b).at)),
						   &how, &d));
		assert_int_equal(d->count, cases[i].kept);
		assert_int_equal(list.count, cases[i].left_out != NULL);
		if (cases[i].left_out)
			assert_true(str_is(list.items[0].name, cases[i].left_out));
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writes_sorted_and_keeps_numbers, begin, end),
		cmocka_unit_test_setup_teardown(compares_by_value, begin, end),
		cmocka_unit_test_setup_teardown(merges_deeply, begin, end),
		cmocka_unit_test_setup_teardown(patches_as_the_rfc_says, begin, end),
		cmocka_unit_test_setup_teardown(builds_and_changes, begin, end),
		cmocka_unit_test_setup_teardown(members_cost_only_themselves, begin, end),
		cmocka_unit_test(members_share_the_limit_of_values),
		cmocka_unit_test(values_are_bounded),
		cmocka_unit_test_setup_teardown(numbers_are_bounded, begin, end),
		cmocka_unit_test_setup_teardown(names_are_not_told_whole_when_long, begin, end),
		cmocka_unit_test_setup_teardown(finds_members_and_numbers, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
