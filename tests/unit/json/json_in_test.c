#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "json_doc.h"
#include "json_in.h"

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

static void reads_every_kind(void **state)
{
	static const char *const roles[] = { "primary", "worker", NULL };
	struct arena *a = *state;
	struct json_in in;
	struct json_in *host;
	const struct str *tags;
	size_t count;

	assert_null(json_in_parse(a,
				  STR("{\"client\":\"abc\",\"pid\":12,\"rate\":0.5,\"on\":true,"
				      "\"role\":\"worker\",\"host\":{\"name\":\"h\"},"
				      "\"tags\":[\"x\",\"yy\"],\"none\":null,"
				      "\"time\":\"1970-01-01T00:00:01Z\","
				      "\"raw\":{\"b\":[1,NaN],\"a\":12345678901234567890}}"),
				  &in));
	assert_true(str_is(json_in_text(&in, "client", 64), "abc"));
	assert_int_equal(json_in_int(&in, "pid", 0, 100), 12);
	assert_true(json_in_number(&in, "rate") == 0.5);
	assert_true(json_in_bool(&in, "on"));
	assert_int_equal(json_in_choice(&in, "role", roles), 1);
	host = json_in_object(&in, "host");
	assert_true(str_is(json_in_text(host, "name", 9), "h"));
	tags = json_in_texts(&in, "tags", 5, 5, &count);
	assert_int_equal(count, 2);
	assert_true(str_is(tags[1], "yy"));
	assert_true(json_in_has(&in, "none"));
	assert_int_equal(json_in_int_or(&in, "none", 0, 9, 7), 7);
	assert_int_equal(json_in_time_or(&in, "time", (timestamp_us){ 0 }).us, 1000000);
	assert_true(
		str_is(json_in_raw(&in, "raw"), "{\"a\":12345678901234567890,\"b\":[1,\"NaN\"]}"));
	assert_true(str_is(json_in_text_or(&in, "absent", 9, STR("d")), "d"));
	assert_null(json_in_end(&in));
}

static void what_is_absent_has_its_standard_value(void **state)
{
	static const char *const roles[] = { "primary", "worker", NULL };
	struct json_in in;

	assert_null(
		json_in_parse(*state, STR("{\"role\":\"primary\",\"none\":null,\"n\":3}"), &in));
	assert_int_equal(json_in_choice_or(&in, "role", roles, 1), 0);
	assert_int_equal(json_in_choice_or(&in, "other", roles, 1), 1);
	assert_int_equal(json_in_time_or(&in, "time", (timestamp_us){ 5 }).us, 5);
	assert_int_equal(json_in_int_or(&in, "m", 0, 9, 7), 7);
	assert_false(json_in_null(&in, "n"));
	assert_false(json_in_null(&in, "absent"));
	assert_int_equal(json_in_int_or(&in, "n", 0, 9, 7), 3);
	assert_true(json_in_null(&in, "none"));
	assert_null(json_in_end(&in));
}

/* Each is the first fault of its body. */
static void values_are_within_their_bounds(void **state)
{
	static const struct {
		const char *body;
		const char *message; /* NULL: good */
	} cases[] = {
		{ "{\"n\":-5}", NULL },
		{ "{\"n\":5}", NULL },
		{ "{\"n\":-6}", "must be between -5 and 5" },
		{ "{\"n\":6}", "must be between -5 and 5" },
		{ "{\"text\":\"1234\"}", NULL },
		{ "{\"text\":\"12345\"}", "is longer than 4 bytes" },
		{ "{\"number\":1e300}", NULL },
		{ "{\"number\":1e400}", "must be a finite number" },
		{ "{\"word\":\"b\"}", NULL },
		{ "{\"word\":\"c\"}", "must be one of \"a\", \"b\"" },
		{ "{\"time\":\"1970-01-01T00:00:01Z\"}", NULL },
		{ "{\"time\":\"1970\"}", "must be a time such as \"2026-01-31T10:00:00Z\"" },
		{ "{\"texts\":[\"1234\",\"5\"]}", NULL },
		{ "{\"texts\":[\"1\",\"2\",\"3\"]}", "has more than 2 items" },
		{ "{\"texts\":[\"1\",\"12345\"]}", "is longer than 4 bytes" },
	};
	static const char *const words[] = { "a", "b", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_in in;
		size_t count;
		err_t e;

		assert_null(json_in_parse(*state, str_of(cases[i].body), &in));
		json_in_int_or(&in, "n", -5, 5, 0);
		json_in_text_or(&in, "text", 4, STR(""));
		if (json_in_has(&in, "number"))
			json_in_number(&in, "number");
		json_in_choice_or(&in, "word", words, 0);
		json_in_time_or(&in, "time", (timestamp_us){ 0 });
		json_in_texts(&in, "texts", 2, 4, &count);
		e = json_in_end(&in);
		if (!e != !cases[i].message)
			fail_msg("%s: %s", cases[i].body, e ? e->message : "no error");
		if (e && !strstr(e->message, cases[i].message))
			fail_msg("%s: %s", cases[i].body, e->message);
	}
}

static void empty_body_is_empty_object(void **state)
{
	struct json_in in;

	assert_null(json_in_parse(*state, STR("  \n"), &in));
	assert_false(json_in_has(&in, "a"));
	assert_null(json_in_end(&in));
}

/* The same reading of different bodies; which field is named, and a part of the message. */
static void names_what_is_wrong(void **state)
{
	static const struct {
		const char *body;
		const char *field;
		const char *part;
	} cases[] = {
		{ "{\"n\":1}", "name", "missing" },
		{ "{\"name\":1,\"n\":1}", "name", "must be a string, not a number" },
		{ "{\"name\":\"12345\",\"n\":1}", "name", "longer than 4 bytes" },
		{ "{\"name\":null,\"n\":1}", "name", "missing" },
		{ "{\"name\":\"a\",\"n\":1.5}", "n", "integer" },
		{ "{\"name\":\"a\",\"n\":11}", "n", "between 0 and 10" },
		{ "{\"name\":\"a\",\"n\":1e99}", "n", "integer" },
		{ "{\"name\":\"a\",\"n\":1,\"x\":1}", "x", "unknown field" },
		{ "{\"name\":\"a\",\"n\":1,\"host\":3}", "host", "must be an object" },
		{ "{\"name\":\"a\",\"n\":1,\"host\":{\"y\":1}}", "host.y", "unknown field" },
		{ "{\"name\":\"a\",\"n\":1,\"host\":{\"os\":1}}", "host.os", "must be a string" },
		{ "{\"name\":\"a\",\"n\":1,\"items\":[{\"v\":1},{\"v\":\"\"}]}", "items[1].v",
		  "must be a number" },
		{ "{\"name\":\"a\",\"n\":1,\"items\":[{\"v\":1},2]}", "items[1]", "an object" },
		{ "{\"name\":\"a\",\"n\":1,\"items\":[{\"v\":1},{\"v\":1},{\"v\":1}]}", "items",
		  "more than 2" },
		{ "{\"name\":\"a\",\"n\":1,\"tags\":[\"a\",1]}", "tags[1]", "must be a string" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_in in;
		struct json_in *host;
		size_t count;
		err_t e;

		assert_null(json_in_parse(*state, str_of(cases[i].body), &in));
		json_in_text(&in, "name", 4);
		json_in_int(&in, "n", 0, 10);
		host = json_in_object(&in, "host");
		json_in_text_or(host, "os", 10, STR(""));
		count = json_in_array(&in, "items", 2);
		for (size_t k = 0; k < count; k++)
			json_in_number(json_in_item(&in, "items", k), "v");
		json_in_texts(&in, "tags", 3, 3, &count);
		e = json_in_end(&in);
		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->field, cases[i].field);
		if (!strstr(e->message, cases[i].part))
			fail_msg("\"%s\" has no \"%s\"", e->message, cases[i].part);
	}
}

static void names_of_unknown_fields_are_cut(void **state)
{
	struct arena *a = *state;
	char *name = arena_zalloc(a, 100001, 1);
	struct json_in in;
	err_t e;

	memset(name, 'x', 100000);
	assert_null(json_in_parse(a, str_of(arena_printf(a, "{\"%s\":1}", name)), &in));
	e = json_in_end(&in);
	assert_int_equal(strlen(e->field), JSON_SCAN_NAME_SHOWN + 3);
	assert_true(strlen(e->message) < JSON_SCAN_NAME_SHOWN + 100);
}

static void refuses_what_is_no_object(void **state)
{
	static const char *const bodies[] = {
		"[]",
		"1",
		"null",
		"\"a\"",
		"{",
		"{}}",
		"{\"a\":1,}",
		"{\"a\" 1}",
		"{'a':1}",
		"{\"a\":1,\"a\":2}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\\u0000\"}",
		"{\"\\u0000\":1}",
		"{\"a\":01}",
		"{\"a\":1e999}",
		"{\"a\":\"\n\"}",
		"nul",
		"{\"a\":tru}",
		"{\"a\":.5}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct json_in in;
		err_t e = json_in_parse(*state, str_of(bodies[i]), &in);

		if (!e)
			fail_msg("accepted %s", bodies[i]);
		assert_int_equal(e->kind, ERR_INVALID);
	}
}

static void says_where_the_syntax_broke(void **state)
{
	struct json_in in;
	err_t e = json_in_parse(*state, STR("{\"a\":1, \"b\":x}"), &in);

	assert_non_null(e);
	assert_non_null(strstr(e->message, "12"));
}

/* The first error stays; everything after it is zeroes. */
static void answers_zeroes_after_an_error(void **state)
{
	struct json_in in;

	assert_null(json_in_parse(*state, STR("{\"a\":\"x\",\"b\":5}"), &in));
	assert_int_equal(json_in_int(&in, "a", 0, 9), 0);
	assert_int_equal(json_in_int(&in, "b", 0, 9), 0);
	assert_non_null(json_in_error(&in));
	json_in_refuse(&in, "b", "later");
	assert_string_equal(json_in_end(&in)->field, "a");
}

static void keeps_deep_but_not_too_deep(void **state)
{
	char body[200];
	struct json_in in;

	for (int depth = 30; depth <= 34; depth++) {
		size_t n = 0;

		n += (size_t)snprintf(body, sizeof(body), "{\"a\":");
		for (int i = 1; i < depth; i++)
			body[n++] = '[';
		for (int i = 1; i < depth; i++)
			body[n++] = ']';
		body[n++] = '}';
		if (depth <= JSON_SCAN_MAX_DEPTH)
			assert_null(json_in_parse(*state, (struct str){ body, n }, &in));
		else
			assert_non_null(json_in_parse(*state, (struct str){ body, n }, &in));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_absent_has_its_standard_value, begin, end),
		cmocka_unit_test_setup_teardown(values_are_within_their_bounds, begin, end),
		cmocka_unit_test_setup_teardown(reads_every_kind, begin, end),
		cmocka_unit_test_setup_teardown(empty_body_is_empty_object, begin, end),
		cmocka_unit_test_setup_teardown(names_what_is_wrong, begin, end),
		cmocka_unit_test_setup_teardown(names_of_unknown_fields_are_cut, begin, end),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_object, begin, end),
		cmocka_unit_test_setup_teardown(says_where_the_syntax_broke, begin, end),
		cmocka_unit_test_setup_teardown(answers_zeroes_after_an_error, begin, end),
		cmocka_unit_test_setup_teardown(keeps_deep_but_not_too_deep, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
