/* Documents as clients send them, answered from small tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "gql_world.h"

static void members_and_resolvers(void **state)
{
	struct world *w = *state;

	assert_string_equal(ask(w, "{ run { name rows readOnly createdAt loss next { name } } }"),
			    "{\"data\":{\"run\":{\"name\":\"a1\",\"rows\":10,\"readOnly\":false,"
			    "\"createdAt\":\"2023-11-14T22:13:20.000000Z\",\"loss\":0.5,"
			    "\"next\":{\"name\":\"b2\"}}}}");
	assert_string_equal(ask(w, "{ run(number: 2) { name createdAt loss next { name } } }"),
			    "{\"data\":{\"run\":{\"name\":null,\"createdAt\":null,\"loss\":null,"
			    "\"next\":null}}}");
	assert_string_equal(ask(w, "{ run(number: 5) { name } }"), "{\"data\":{\"run\":null}}");
}

static void documents_as_clients_write_them(void **state)
{
	struct world *w = *state;

	assert_string_equal(
		ask_with(w,
			 "\n  #graphql\n query Runs($n: Int = 1, $all: Boolean!,) {\n"
			 "  first: run(number: $n,) { ...F, ... on Run { rows } }\n"
			 "  none: run(number: 5) { name }\n"
			 "  shown: run @include(if: $all) { name }\n"
			 "  hidden: run @skip(if: $all) { name }\n"
			 "  left: run @include(if: true) @skip(if: true) { name }\n"
			 "}\n fragment F on Node { __typename ...G }\n"
			 "fragment G on RunLike { name ... { readOnly } ... on Other { rows } }\n",
			 "{\"all\":true,\"more\":1}"),
		"{\"data\":{\"first\":{\"__typename\":\"Run\",\"name\":\"b2\",\"readOnly\":true,"
		"\"rows\":20},\"none\":null,\"shown\":{\"name\":\"a1\"}}}");
}

static void one_key_is_answered_once(void **state)
{
	struct world *w = *state;

	assert_string_equal(
		ask(w, "{ run { name } run { rows next { name } } ...Q } fragment Q on Query "
		       "{ run { next { rows ...R } } } fragment R on Run { name readOnly }"),
		"{\"data\":{\"run\":{\"name\":\"a1\",\"rows\":10,\"next\":{\"name\":\"b2\","
		"\"rows\":20,\"readOnly\":true}}}}");
	expect_refusal(w, "{ a: run { name } a: runs { name } }", NULL,
		       "\"a\" is requested twice for different fields");
	expect_refusal(w, "{ echo(input: 1) echo(input: 2) }", NULL,
		       "\"echo\" is requested twice for different fields");
	assert_string_equal(ask(w, "{ echo(input: {a: 1, b: 2}) echo(input: {b: 2, a: 1}) }"),
			    "{\"data\":{\"echo\":{\"input\":{\"a\":1,\"b\":2}}}}");
}

static void arguments_arrive_as_documents(void **state)
{
	struct world *w = *state;

	assert_string_equal(
		ask_with(w,
			 "mutation M($id: ID, $absent: String, $null: String, $tags: [String!] = "
			 "[\"x\"], $f: Float, $json: JSON) { change(input: {id: $id, gone: "
			 "$absent, null: $null, list: [$id, $absent, 1.50, -2e3], kind: "
			 "MANIFEST_MD5, deep: {a: [[$f]], b: true}, tags: $tags, json: $json, "
			 "text: \"q\\\"\\u00e9\\n\"}) }",
			 "{\"id\":7,\"null\":null,\"f\":1,\"json\":{\"z\":[1,{}]}}"),
		"{\"data\":{\"change\":{\"input\":{\"deep\":{\"a\":[[1]],\"b\":true},\"id\":7,"
		"\"json\":{\"z\":[1,{}]},\"kind\":\"MANIFEST_MD5\",\"list\":[7,null,1.50,-2e3],"
		"\"null\":null,\"tags\":[\"x\"],\"text\":\"q\\\"\xc3\xa9\\n\"}}}}");
	assert_string_equal(ask_with(w, "query($t: [String]) { echo(input: $t) }",
				     "{\"t\":\"one\"}"),
			    "{\"data\":{\"echo\":{\"input\":\"one\"}}}");
}

static void lists_and_their_errors(void **state)
{
	struct world *w = *state;

	assert_string_equal(ask(w, "{ runs { loss } }"),
			    "{\"data\":{\"runs\":[{\"loss\":0.5},{\"loss\":null},{\"loss\":null}]},"
			    "\"errors\":[{\"message\":\"no loss of b2; ask for another\","
			    "\"path\":[\"runs\",1,\"loss\"]}]}");
	assert_int_equal(w->resolved, 3);
	assert_string_equal(
		ask(w, "{ run(number: 10) { name } }"),
		"{\"data\":{\"run\":null},\"errors\":[{\"message\":\"\\\"number\\\" must be an "
		"integer from 0 to 9\",\"path\":[\"run\"]}]}");
}

static bool is_busy(err_t e)
{
	return e->kind == ERR_BUSY;
}

/* Whichever of the errors it is, and however many came before it. */
static void an_error_may_end_the_request(void **state)
{
	struct world *w = *state;
	struct buf *many = buf_new(w->arena);
	struct gql_request q = { .ends = is_busy };
	struct str answer;
	err_t e;

	buf_add_text(many, "{ run { loss }");
	for (int i = 0; i < 2 * GQL_ERRORS_SHOWN; i++)
		buf_printf(many, " a%d: fail(kind: %d)", i, ERR_INTERNAL);
	q.query = str_of(str_copy(w->arena, buf_str(many)));
	q.query = str_of(arena_printf(w->arena, "%.*s b: fail(kind: %d) c: run { loss } }",
				      STR_ARG(q.query), ERR_BUSY));
	e = try_to_ask(w, q, &answer);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_int_equal(answer.len, 0);
	assert_int_equal(w->resolved, 1);
	q.ends = NULL;
	assert_null(try_to_ask(w, q, &answer));
	assert_int_equal(w->resolved, 3);
	assert_non_null(strstr(str_copy(w->arena, answer), "\"errors\""));
}

static void what_is_unknown_is_null_and_told(void **state)
{
	struct world *w = *state;

	assert_string_equal(ask(w, "{ nothing(x: 1) { a b } run { odd name } }"),
			    "{\"data\":{\"nothing\":null,\"run\":{\"odd\":null,\"name\":\"a1\"}}}");
	assert_string_equal(w->unknown, "Query.nothing Run.odd ");
}

static void values_have_no_fields_and_objects_have(void **state)
{
	struct world *w = *state;

	assert_string_equal(
		ask(w, "{ run run2: run { name { a } } }"),
		"{\"data\":{\"run\":null,\"run2\":{\"name\":null}},\"errors\":[{\"message\":\"\\\"run\\\" "
		"is an object: select some of its "
		"fields\",\"path\":[\"run\"]},{\"message\":\"\\\"name\\\" is a value "
		"and has no fields\",\"path\":[\"run2\",\"name\"]}]}");
}

static void a_resolver_sees_what_is_asked_for(void **state)
{
	struct world *w = *state;

	ask(w, "{ runs { rows } }");
	assert_false(w->asked_for_rows);
	ask(w, "{ runs { next { name } rows } }");
	assert_false(w->asked_for_rows);
	ask(w, "{ runs { ...F } } fragment F on Run { ... on Run { n: next { ...G } } } "
	       "fragment G on Run { r: rows }");
	assert_true(w->asked_for_rows);
}

static void types_can_be_asked_about(void **state)
{
	struct world *w = *state;

	assert_string_equal(
		ask_with(
			w,
			"query Probe($t: String!) { Q: __type(name: \"Query\") { ...fieldData } "
			"In: __type(name: $t) { name inputFields { name } } "
			"Other: __type(name: \"Other\") { name fields { name } inputFields { name } } "
			"R: __type(name: \"Run\") { fields { name args { name } } } } "
			"fragment fieldData on __Type { fields { name } }",
			"{\"t\":\"ChangeInput\"}"),
		"{\"data\":{\"Q\":{\"fields\":[{\"name\":\"run\"},{\"name\":\"runs\"},{\"name\":"
		"\"echo\"},{\"name\":\"fail\"},{\"name\":\"take\"},{\"name\":\"many\"}]},\"In\":{\"name\":\"ChangeInput\",\"inputFields\":[{\"name\":\"id\"},{"
		"\"name\":\"name\"},{\"name\":\"tags\"}]},\"Other\":{\"name\":\"Other\",\"fields\":"
		"[],\"inputFields\":[]},\"R\":{\"fields\":[{\"name\":\"name\",\"args\":[]},{\"name\":"
		"\"rows\",\"args\":[]},{\"name\":\"readOnly\",\"args\":[]},{\"name\":\"createdAt\","
		"\"args\":[]},{\"name\":\"loss\",\"args\":[]},{\"name\":\"echo\",\"args\":[{\"name\":"
		"\"a\"},{\"name\":\"b\"}]},{\"name\":\"next\",\"args\":[]},{\"name\":\"self\","
		"\"args\":[]}]}}}");
}

static void of_several_operations_one_is_named(void **state)
{
	struct world *w = *state;
	struct gql_request q = { .query =
					 STR("query A { run { name } } query B { run { rows } }") };
	struct str answer;
	err_t e;

	q.operation = STR("B");
	assert_null(try_to_ask(w, q, &answer));
	assert_string_equal(str_copy(w->arena, answer), "{\"data\":{\"run\":{\"rows\":10}}}");
	q.operation = STR("C");
	e = try_to_ask(w, q, &answer);
	assert_string_equal(e->message, "the document does not contain the operation \"C\"");
	q.operation = STR("");
	e = try_to_ask(w, q, &answer);
	assert_string_equal(e->message, "the document contains several such operations");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(members_and_resolvers, make_world, end_world),
		cmocka_unit_test_setup_teardown(documents_as_clients_write_them, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(one_key_is_answered_once, make_world, end_world),
		cmocka_unit_test_setup_teardown(arguments_arrive_as_documents, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(lists_and_their_errors, make_world, end_world),
		cmocka_unit_test_setup_teardown(an_error_may_end_the_request, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(what_is_unknown_is_null_and_told, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(values_have_no_fields_and_objects_have, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(a_resolver_sees_what_is_asked_for, make_world,
						end_world),
		cmocka_unit_test_setup_teardown(types_can_be_asked_about, make_world, end_world),
		cmocka_unit_test_setup_teardown(of_several_operations_one_is_named, make_world,
						end_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
