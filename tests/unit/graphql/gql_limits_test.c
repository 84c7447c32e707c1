/* What is refused, where it says it is, and what bounds an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "gql_world.h"
#include "memory.h"

static void what_cannot_be_read_says_where(void **state)
{
	static const struct {
		const char *query;
		const char *message;
	} cases[] = {
		{ "", "expected query or mutation, but the document ends, at line 1, column 1" },
		{ "subscription { a }",
		  "expected query, mutation or fragment, not \"subscription\", at line 1, column "
		  "1" },
		{ "{ run { name }",
		  "expected a name, but the document ends, at line 1, column 15" },
		{ "{\n  }", "expected a field, not \"}\", at line 2, column 3" },
		{ "{ a(b: ) }", "expected a value, not \")\", at line 1, column 8" },
		{ "{ a(b: 01) }", "invalid number, at line 1, column 8" },
		{ "{ a(b: 1.x) }", "invalid number, at line 1, column 8" },
		{ "{ a(b: -) }", "invalid number, at line 1, column 8" },
		{ "{ a(b: \"x\n\") }", "unterminated string, at line 1, column 8" },
		{ "{ a(b: \"\"\"x\"\"\") }",
		  "strings in triple quotes are not supported, at line 1, column 8" },
		{ "{ a % }", "unexpected character, at line 1, column 5" },
		{ "{ a ..b }", "unexpected character, at line 1, column 5" },
		{ "query ($a: Int = $b) { a }",
		  "a default value cannot contain variables, at line 1, column 16" },
		{ "{ a @include { b } }", "@include requires exactly one argument, if, at line "
					  "1, column 14" },
		{ "{ a ...F }", "unknown fragment \"F\"" },
		{ "{ a @skip(if: 1) }", "@include and @skip require true or false" },
		{ "{ \xff }", "the document is not UTF-8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_refusal(*state, cases[i].query, NULL, cases[i].message);
}

static void variables_are_checked(void **state)
{
	struct world *w = *state;

	expect_refusal(w, "query($a: Int!) { run { name } }", NULL,
		       "the variable \"a\" is missing");
	expect_refusal(w, "query($a: [Int]!) { run { name } }", "{\"a\":null}",
		       "the variable \"a\" is missing");
	expect_refusal(w, "query($a: Int) { run { name } }", "{\"a\":1.5}",
		       "the variable \"a\" is not of type Int");
	expect_refusal(w, "query($a: [[String]]) { run { name } }", "{\"a\":[[1]]}",
		       "the variable \"a\" is not of type String");
	expect_refusal(w, "query($a: String) { run { name } }", "{\"a\":[\"x\"]}",
		       "the variable \"a\" is not of type String");
	expect_refusal(w, "query($a: Boolean) { run { name } }", "{\"a\":\"true\"}",
		       "the variable \"a\" is not of type Boolean");
	ask_with(w, "query($a: [ID!]!, $b: JSONString, $c: Float) { run { name } }",
		 "{\"a\":[\"x\",1,null],\"b\":[],\"c\":1}");
}

/* The text so many times; # in it is the number. */
static char *repeat(struct arena *a, const char *before, const char *text, size_t count,
		    const char *after)
{
	struct buf *b = buf_new(a);

	buf_add_text(b, before);
	for (size_t i = 0; i < count; i++) {
		for (const char *c = text; *c; c++) {
			if (*c == '#')
				buf_printf(b, "%zu", i);
			else
				buf_add_byte(b, *c);
		}
	}
	buf_add_text(b, after);
	return str_copy(a, buf_str(b));
}

static void depth_is_bounded(void **state)
{
	struct world *w = *state;
	char *closes = repeat(w->arena, "", "}", 31, "");
	char *fits = repeat(w->arena, "{ run {", "next {", 29, " name ");
	char *deeper = repeat(w->arena, "{ run {", "next {", 10001, " name ");

	ask(w, arena_printf(w->arena, "%s%s", fits, closes));
	expect_refusal(w, deeper, NULL, "more than 32 levels, at line 1, column 193");
	ask(w, arena_printf(w->arena, "%s%s", repeat(w->arena, "{ echo(input: ", "[", 31, ""),
			    repeat(w->arena, "", "]", 31, ") }")));
	expect_refusal(w, repeat(w->arena, "{ echo(input: ", "[", 10001, ""), NULL,
		       "more than 32 levels, at line 1, column 46");
	expect_refusal(w, repeat(w->arena, "query($a: ", "[", 10001, ""), NULL,
		       "expected a type, not \"[\", at line 1, column 43");
}

static void fragments_within_themselves_are_refused(void **state)
{
	static const struct {
		const char *query;
		const char *message;
	} cases[] = {
		{ "{ run { ...F } } fragment F on Run { self { ...F } }",
		  "the fragment \"F\" includes itself" },
		{ "{ run { ...F } } fragment F on Run { ...F }",
		  "the fragment \"F\" includes itself" },
		{ "{ run { ...F } } fragment F on Run { ... on Run { a: self { ...G } } } "
		  "fragment G on Run { ...H } fragment H on Run { self { ...G } }",
		  "the fragment \"H\" includes itself" },
		{ "{ run { name } } fragment F on Run { self { ...F } }",
		  "the fragment \"F\" includes itself" },
		{ "{ run { name } } fragment F on Run { ...G }", "unknown fragment \"G\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_refusal(*state, cases[i].query, NULL, cases[i].message);
}

/* A chain of them, the last one first or last in the document. */
static const char *chain_of(struct world *w, size_t count, bool backwards)
{
	struct buf *b = buf_new(w->arena);

	buf_add_text(b, "{ run { ...F0 } }");
	for (size_t n = 0; n < count; n++) {
		size_t i = backwards ? count - 1 - n : n;

		buf_printf(b, " fragment F%zu on Run {", i);
		buf_printf(b, i + 1 < count ? " ...F%zu }" : " name }", i + 1);
	}
	return str_copy(w->arena, buf_str(b));
}

static void fragments_within_each_other_are_bounded(void **state)
{
	struct world *w = *state;

	for (int backwards = 0; backwards < 2; backwards++) {
		assert_string_equal(ask(w, chain_of(w, 64, backwards)),
				    "{\"data\":{\"run\":{\"name\":\"a1\"}}}");
		expect_refusal(w, chain_of(w, 65, backwards), NULL,
			       "fragments are nested more than 64 levels deep");
		expect_refusal(w, chain_of(w, 5000, backwards), NULL,
			       "fragments are nested more than 64 levels deep");
	}
}

/* An object `levels` below the root: four fragments share the way, for a document may not be that deep. */
static const char *ask_below(struct world *w, int levels)
{
	struct buf *b = buf_new(w->arena);

	buf_add_text(b, "{ run { ...F0 } } ");
	for (int i = 0; i < 4; i++) {
		int count = levels / 4 + (i < levels % 4);

		buf_printf(b, "fragment F%d on Run {", i);
		buf_add_text(b, repeat(w->arena, "", "self {", (size_t)count, ""));
		buf_printf(b, i < 3 ? " ...F%d" : " name", i + 1);
		buf_add_text(b, repeat(w->arena, "", "}", (size_t)count + 1, " "));
	}
	return ask(w, str_copy(w->arena, buf_str(b)));
}

static void levels_are_bounded(void **state)
{
	assert_non_null(strstr(ask_below(*state, 63), "{\"name\":\"a1\"}"));
	assert_null(strstr(ask_below(*state, 63), "errors"));
	assert_non_null(strstr(ask_below(*state, 64), "more than 64 levels of fields and lists"));
}

static void width_is_bounded(void **state)
{
	struct world *w = *state;

	ask(w, repeat(w->arena, "{", "a#: run { name } ", GQL_WIDTH_MAX, "}"));
	expect_refusal(w, repeat(w->arena, "{", "a#: run { name } ", GQL_WIDTH_MAX + 1, "}"), NULL,
		       "more than 2000 fields of an object");
	assert_non_null(
		strstr(ask(w, repeat(w->arena, "{ run {", "a#: name ", GQL_WIDTH_MAX + 1, "} }")),
		       "{\"data\":{\"run\":null},\"errors\":"));
}

static void words_are_bounded(void **state)
{
	struct world *w = *state;
	struct str answer;
	size_t fits = GQL_TOKENS_MAX - 3; /* beside both braces and the end */
	char *query = repeat(w->arena, "{", " none", fits + 1, "}");
	err_t e = try_to_ask(w, (struct gql_request){ .query = str_of(query) }, &answer);

	assert_non_null(strstr(e->message, "more than 50000 tokens"));
	assert_string_equal(ask(w, repeat(w->arena, "{", " none", fits, "}")),
			    "{\"data\":{\"none\":null}}");
}

static void fragments_are_bounded(void **state)
{
	struct world *w = *state;
	char *all = repeat(w->arena, "", " fragment F# on Run { name }", 257, "");

	assert_string_equal(ask(w, arena_printf(w->arena, "{ run {%s } } %s",
						repeat(w->arena, "", " ...F#", 256, ""), all)),
			    "{\"data\":{\"run\":{\"name\":\"a1\"}}}");
	assert_non_null(strstr(ask(w, arena_printf(w->arena, "{ run {%s } } %s",
						   repeat(w->arena, "", " ...F#", 257, ""), all)),
			       "more than 256 fragments for an object"));
}

static void values_are_bounded(void **state)
{
	struct world *w = *state;
	/* 20 lists of 1000 objects with 99 names, and the lists: 1,980,020 values */
	char *some = repeat(w->arena, "{", "a#: many(count: 1000) {...F}", 20, "");
	char *names = repeat(w->arena, " fragment F on Run {", "b#: name ", 99, "}");

	assert_null(strstr(ask(w, arena_printf(w->arena, "%s }%s", some, names)), "errors"));
	assert_non_null(
		strstr(ask(w, arena_printf(w->arena, "%s b: many(count: 1000) {...F more: name}}%s",
					   some, names)),
		       "\"errors\":[{\"message\":\"the response has more than 2000000 values\""));
}

static struct json_member text_of(struct arena *a, const char *name, size_t len)
{
	char *text = arena_alloc(a, len);

	memset(text, 'x', len);
	return (struct json_member){ str_of(name), json_doc_text(a, (struct str){ text, len }) };
}

/* What is answered behind 63 texts of a MiB each, and one of that length; and where it begins. */
static const char *ask_behind(struct world *w, size_t len, size_t *ret_before)
{
	struct json_member texts[] = { text_of(w->arena, "v", 1 << 20),
				       text_of(w->arena, "w", len) };
	struct gql_request q = {
		.query = str_of(repeat(w->arena, "query($v: String, $w: String) {",
				       "a#: echo(input: $v)", 63,
				       " last: echo(input: $w) run { name } }")),
		.variables = json_doc_object(w->arena, texts, 2),
	};
	struct str answer;
	const char *run;

	assert_null(try_to_ask(w, q, &answer));
	run = memmem(answer.at, answer.len, ",\"run\":", 7);
	*ret_before = (size_t)(run - answer.at);
	return str_copy(w->arena, (struct str){ run, answer.len - *ret_before });
}

/* Before each field is looked at how much there is. */
static void bytes_are_bounded(void **state)
{
	size_t before, len;

	ask_behind(*state, 1, &before);
	len = GQL_ANSWER_BYTES - before + 1 - strlen(",\"run\":{");
	assert_non_null(strstr(ask_behind(*state, len, &before), ",\"run\":{\"name\":\"a1\"}}}"));
	assert_int_equal(before, GQL_ANSWER_BYTES - strlen(",\"run\":{"));
	assert_non_null(strstr(ask_behind(*state, len + 1, &before),
			       ",\"run\":{\"name\":null}},\"errors\":[{\"message\":\"the "
			       "response is larger than 64 MiB\""));
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	while ((text = strstr(text, part))) {
		text++;
		count++;
	}
	return count;
}

static void errors_shown_are_bounded(void **state)
{
	struct world *w = *state;

	for (int more = 0; more < 2; more++) {
		char *query = repeat(w->arena, "{ run(number: 1) {", "a#: loss ",
				     (size_t)GQL_ERRORS_SHOWN + (size_t)more, "} }");

		assert_int_equal(count_of(ask(w, query), "\"message\":"), GQL_ERRORS_SHOWN);
	}
}

/* Each holds the next one twice: 2^n fields of a document that is small. */
static const char *bomb_of(struct world *w, int doublings, int fields)
{
	struct buf *b = buf_new(w->arena);

	buf_add_text(b, "{ run { ...F0 } }");
	for (int i = 0; i < doublings; i++)
		buf_printf(b, " fragment F%d on Run { ...F%d ...F%d }", i, i + 1, i + 1);
	buf_printf(b, " fragment F%d on Run { %s }", doublings,
		   repeat(w->arena, "", "name ", (size_t)fields, ""));
	return str_copy(w->arena, buf_str(b));
}

static void expanded_fields_are_bounded(void **state)
{
	static const char *const message =
		"more than 100000 fields and values after all fragments are expanded";
	struct world *w = *state;

	/* 1 + 1 + (2^11 - 2) + 2^10 * fields */
	assert_string_equal(ask(w, bomb_of(w, 10, 95)), "{\"data\":{\"run\":{\"name\":\"a1\"}}}");
	expect_refusal(w, bomb_of(w, 10, 96), NULL, message);
	expect_refusal(w, bomb_of(w, 60, 1), NULL, message);
	expect_refusal(w,
		       arena_printf(w->arena,
				    "query($v: Int) %s fragment F on Run { echo(a: [%s]) }",
				    repeat(w->arena, "{", "a#: run { ...F } ", 60, "}"),
				    repeat(w->arena, "", "$v ", 1700, "")),
		       NULL, message);
}

static void an_answer_ends_at_its_deadline(void **state)
{
	struct world *w = *state;
	struct gql_request q = { .query = str_of(
					 repeat(w->arena, "{ runs {", "a#: name ", 200, "} }")),
				 .deadline_us = 1 };
	struct str answer;

	assert_null(try_to_ask(w, q, &answer));
	assert_non_null(strstr(str_copy(w->arena, answer),
			       "\"errors\":[{\"message\":\"the response took too long\""));
}

/* After the limit, each further field is null for the same reason. */
static void a_limit_is_reported_once(void **state)
{
	struct world *w = *state;
	char *query = repeat(w->arena, "{ run { name { x } }", "a#: echo ", 300, "}");
	struct gql_request q = { .query = str_of(query), .deadline_us = INT64_MAX };
	struct str answer;

	assert_null(try_to_ask(w, q, &answer));
	assert_int_equal(count_of(str_copy(w->arena, answer), "\"message\":"), 1);
	q.deadline_us = 1;
	q.query = str_of(repeat(w->arena, "{", "a#: echo ", 300, "}"));
	assert_null(try_to_ask(w, q, &answer));
	assert_int_equal(count_of(str_copy(w->arena, answer), "\"message\":"), 1);
}

/* An error of a field that came before does not hide the limit. */
static void a_limit_is_reported_after_another_error(void **state)
{
	const char *answer = ask(
		*state, arena_printf(((struct world *)*state)->arena,
				     "{ run { name { x } } take(bytes: %d) run2: run { rows } }",
				     GQL_MEMORY_BYTES + 1));

	assert_int_equal(count_of(answer, "\"message\":"), 2);
	assert_non_null(strstr(answer, "\"\\\"name\\\" is a value and has no fields\""));
	assert_non_null(strstr(answer, "the response needs more than 512 MiB of memory"));
}

static const char *ask_behind_taken(struct world *w, int bytes)
{
	return ask(w, arena_printf(w->arena, "{ take(bytes: %d) run { name } }", bytes));
}

/* What bufs hold counts as what stands in the arena itself. */
static void memory_is_bounded(void **state)
{
	enum { REST = 4 << 20 }; /* of what else is taken */
	struct world *w = *state;
	struct memory_share share = { NULL, 0, 0 };

	assert_null(strstr(ask_behind_taken(w, GQL_MEMORY_BYTES - REST), "errors"));
	assert_non_null(strstr(ask_behind_taken(w, GQL_MEMORY_BYTES + 1),
			       "\"run\":null},\"errors\":[{\"message\":\"the response needs more "
			       "than 512 MiB of memory\""));
	arena_reset(w->arena);
	arena_count_in(w->arena, &share);
	buf_reserve(buf_new(w->arena), GQL_MEMORY_BYTES);
	assert_true(arena_held(w->arena) >= GQL_MEMORY_BYTES);
	assert_null(strstr(ask_behind_taken(w, REST), "errors")); /* was taken before */
	arena_reset(w->arena);
	arena_count_in(w->arena, NULL);
}

static err_t ask_counted(struct world *w, struct memory_share *share, const char *query,
			 struct str *ret_answer)
{
	err_t e;

	arena_reset(w->arena);
	arena_count_in(w->arena, share);
	e = try_to_ask(w, (struct gql_request){ .query = str_of(query) }, ret_answer);
	if (e)
		e = err_new(w->own, e->kind, "%s", e->message);
	*ret_answer = str_of(str_copy(w->own, *ret_answer));
	arena_reset(w->arena);
	arena_count_in(w->arena, NULL);
	return e;
}

/* A quarter of the server's memory for one, and what others leave of it. */
static void memory_of_all_is_bounded(void **state)
{
	struct world *w = *state;
	char *wide = repeat(w->own, "{", "a# ", 40000, "}");
	struct memory_share share;
	struct memory memory;
	struct str answer;
	err_t e;

	memory_init(&memory, 64 << 20);
	share_begin(&share, &memory, 0);
	assert_null(ask_counted(w, &share, "{ take(bytes: 15000000) run { name } }", &answer));
	assert_null(strstr(answer.at, "errors"));
	assert_null(ask_counted(w, &share, "{ take(bytes: 17000000) run { name } }", &answer));
	assert_non_null(strstr(answer.at, "the response needs more than 16 MiB of memory"));

	memory_take(&memory, MEMORY_SEARCH, 54 << 20);
	assert_null(ask_counted(w, &share, "{ run { name } }", &answer));
	assert_null(strstr(answer.at, "errors"));
	assert_null(ask_counted(w, &share, "{ take(bytes: 15000000) run { name } }", &answer));
	assert_non_null(strstr(answer.at, "\"run\":null},\"errors\":[{\"message\":\"the server's "
					  "memory for requests is in use\""));
	e = ask_counted(w, &share, wide, &answer);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_int_equal(share.held, 0);
	share_end(&share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_cannot_be_read_says_where, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(variables_are_checked, make_world, end_world),
		cmocka_unit_test_setup_teardown(depth_is_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(fragments_within_themselves_are_refused, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(fragments_within_each_other_are_bounded, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(levels_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(fragments_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(values_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(bytes_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(errors_shown_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(width_is_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(words_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(expanded_fields_are_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(an_answer_ends_at_its_deadline, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(a_limit_is_reported_once, make_world, end_world),
		cmocka_unit_test_setup_teardown(a_limit_is_reported_after_another_error, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(memory_is_bounded, make_world, end_world),
		cmocka_unit_test_setup_teardown(memory_of_all_is_bounded, make_world, end_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
