/* YAML 1.1 and JSON as values of sweeps, and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "sweep_value.h"
#include "sweep_yaml.h"

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static const struct sweep_value *read_yaml(const char *text, struct sweep_faults *faults)
{
	const struct sweep_value *v = NULL;
	err_t e;

	*faults = (struct sweep_faults){ 0 };
	e = sweep_yaml_read(arena, str_of(text), &v, faults);
	if (e)
		fail_msg("%s: %s", text, err_chain(arena, e));
	return v;
}

static const char *json_of(const char *yaml)
{
	struct sweep_faults faults;

	return str_copy(arena, sweep_value_dump(arena, read_yaml(yaml, &faults)));
}

static void assert_yaml(const char *yaml, const char *json)
{
	const char *got = json_of(yaml);

	if (strcmp(got, json) != 0)
		fail_msg("%s is read as %s, not %s", yaml, got, json);
}

static void assert_refused(struct str yaml, unsigned line, unsigned column, const char *words)
{
	struct sweep_faults faults = { 0 };
	const struct sweep_value *v;
	err_t e = sweep_yaml_read(arena, yaml, &v, &faults);

	assert_non_null(e);
	assert_int_equal(e->kind, ERR_INVALID);
	assert_true(faults.has_error);
	if (!strstr(e->message, words))
		fail_msg("%s: %s is not in it", e->message, words);
	assert_int_equal(faults.items[faults.count - 1].line, line);
	assert_int_equal(faults.items[faults.count - 1].column, column);
}

/* ---- scalars: what PyYAML 6.0 makes of them, by json.dumps() ------------------------------------------------------- */

static void plain_scalars_have_the_types_of_pyyaml(void **state)
{
	static const char *const scalars[][2] = {
		{ "1.0e5", "\"1.0e5\"" },
		{ "-.5", "\"-.5\"" },
		{ ".5", "0.5" },
		{ "+.5", "\"+.5\"" },
		{ "1e-3", "\"1e-3\"" },
		{ "1.e-3", "0.001" },
		{ "1.0e-05", "1e-05" },
		{ "1.", "1.0" },
		{ "+1", "1" },
		{ "-0", "0" },
		{ "0_", "0" },
		{ "0b1", "1" },
		{ "0b", "\"0b\"" },
		{ "0x1F", "31" },
		{ "0x", "\"0x\"" },
		{ "1:30", "90" },
		{ "1:30.5", "90.5" },
		{ "-1:30", "-90" },
		{ ".inf", "Infinity" },
		{ "-.INF", "-Infinity" },
		{ "+.inf", "Infinity" },
		{ ".nan", "NaN" },
		{ "-.nan", "\"-.nan\"" },
		{ "08", "\"08\"" },
		{ "09.5", "9.5" },
		{ "010", "8" },
		{ "0o7", "\"0o7\"" },
		{ "1_000", "1000" },
		{ "1_000.5_0", "1000.5" },
		{ "1__0", "10" },
		{ "_1", "\"_1\"" },
		{ "y", "\"y\"" },
		{ "n", "\"n\"" },
		{ "yes", "true" },
		{ "No", "false" },
		{ "ON", "true" },
		{ "off", "false" },
		{ "True", "true" },
		{ "tRue", "\"tRue\"" },
		{ "Null", "null" },
		{ "nULL", "\"nULL\"" },
		{ "", "null" },
		{ "~", "null" },
		{ "1.5e+3", "1500.0" },
		{ "1.5E-3", "0.0015" },
		{ "1.5e+", "\"1.5e+\"" },
		{ "190:20:30", "685230" },
		{ "0:30", "\"0:30\"" },
		{ "12:60", "\"12:60\"" },
		{ "0.", "0.0" },
		{ "00", "0" },
		{ "-0.0", "-0.0" },
		{ "007:30", "\"007:30\"" },
		{ "1:0", "60" },
		{ "1_:30", "90" },
		{ "._5", "\"._5\"" },
		{ ".", "\".\"" },
		{ "1._5", "1.5" },
		{ "1.2.3", "\"1.2.3\"" },
		{ "+0x10", "16" },
		{ "-010", "-8" },
		{ "-0b11", "-3" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "1.0e+400", "Infinity" },
		{ "2001-01-01", "\"2001-01-01\"" },
		{ "=", "\"=\"" },
		{ "'1'", "\"1\"" },
		{ "\"yes\"", "\"yes\"" },
		{ "\"\\u00e4\"", "\"\xc3\xa4\"" },
		{ "!!str 1", "\"1\"" },
		{ "!!float 1", "1.0" },
		{ "!!int '3'", "3" },
		{ "! 3", "3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++) {
		const char *yaml = arena_printf(arena, "a: %s\n", scalars[i][0]);

		assert_yaml(yaml, arena_printf(arena, "{\"a\":%s}", scalars[i][1]));
	}
}

static void scalars_that_cannot_be_kept_are_refused(void **state)
{
	(void)state;
	assert_refused(STR("a: 9223372036854775808"), 1, 4, "integer beyond 64 bits");
	assert_refused(STR("a: -9223372036854775809"), 1, 4, "integer beyond 64 bits");
	assert_refused(STR("a: 999999999999999999999:00"), 1, 4, "integer beyond 64 bits");
	assert_refused(STR("a: 0x_"), 1, 4, "invalid integer");
	assert_refused(STR("a: \"x\\0y\""), 1, 4, "U+0000");
	assert_refused(STR("a: !!int x"), 1, 4, "does not have the type of its tag");
	assert_refused(STR("a: !!python/object:os.system x"), 1, 4, "tag");
	assert_refused(STR("a: !thing [1]"), 1, 4, "tag \"!thing\" is not supported");
	assert_refused(STR("a: !!binary aGk="), 1, 4, "tag");
}

static void a_float_without_a_point_gives_a_warning(void **state)
{
	struct sweep_faults faults;

	(void)state;
	read_yaml("a: 1e-3\nb: [x, -2E5, 1.5e7, 0x1e5, '1e-3', e5, 12e]", &faults);
	assert_int_equal(faults.count, 3);
	assert_false(faults.has_error);
	assert_int_equal(faults.items[0].line, 1);
	assert_int_equal(faults.items[0].column, 4);
	assert_int_equal(faults.items[1].line, 2);
	assert_int_equal(faults.items[1].column, 8);
	assert_non_null(strstr(faults.items[0].text.at, "1.0e-3"));
}

/* ---- documents ---------------------------------------------------------------------------------------------------- */

static void documents_of_pyyaml_are_read(void **state)
{
	(void)state;
	assert_yaml(
		"method: grid\nparameters:\n  a:\n    values:\n    - 1\n    - 1.0\n    - '010'\n",
		"{\"method\":\"grid\",\"parameters\":{\"a\":{\"values\":[1,1.0,\"010\"]}}}");
	assert_yaml("a: \"one\n  two\"\nb: one\n  two\n", "{\"a\":\"one two\",\"b\":\"one two\"}");
	assert_yaml("{a: [1, {b: c}], d: }", "{\"a\":[1,{\"b\":\"c\"}],\"d\":null}");
	assert_yaml("", "null");
	assert_yaml("# nothing\n", "null");
	assert_yaml("--- 3\n", "3");
	assert_yaml("1: a\ntrue: b\n1.50: c\n~: d\n",
		    "{\"1\":\"a\",\"true\":\"b\",\"1.5\":\"c\",\"null\":\"d\"}");
	assert_yaml("a: |\n  x\n  y\n", "{\"a\":\"x\\ny\\n\"}");
}

static void aliases_and_merges_work_as_in_pyyaml(void **state)
{
	(void)state;
	assert_yaml("a: &x [1, 2]\nb: *x\n", "{\"a\":[1,2],\"b\":[1,2]}");
	assert_yaml("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "{\"a\":1,\"b\":1,\"c\":2,\"d\":2}");
	assert_yaml("a: &x {p: 1, q: 2}\nb:\n  q: 3\n  <<: *x\n",
		    "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3}}");
	assert_yaml("a: &x {p: 1}\nb: &y {p: 2, q: 2}\nc: {<<: [*x, *y]}\n",
		    "{\"a\":{\"p\":1},\"b\":{\"p\":2,\"q\":2},\"c\":{\"p\":1,\"q\":2}}");
	assert_yaml("a: {'<<': 1}\n", "{\"a\":{\"<<\":1}}");
	assert_refused(STR("a: {<<: 1}"), 1, 5, "merges an object");
	assert_refused(STR("a: {<<: [1]}"), 1, 5, "merges objects");
	assert_refused(STR("a: *x"), 1, 4, "has no anchor");
	assert_refused(STR("a: &x [*x]"), 1, 8, "has no anchor");
}

static void the_last_of_duplicate_names_counts(void **state)
{
	struct sweep_faults faults;
	const struct sweep_value *v = read_yaml("a: 1\nb: 2\na: 3\n", &faults);

	(void)state;
	assert_string_equal(str_copy(arena, sweep_value_dump(arena, v)), "{\"a\":3,\"b\":2}");
	assert_int_equal(faults.count, 1);
	assert_false(faults.has_error);
	assert_int_equal(faults.items[0].line, 3);
	assert_int_equal(faults.items[0].column, 1);
}

static void values_know_their_place(void **state)
{
	struct sweep_faults faults;
	const struct sweep_value *v = read_yaml("a:\n  b: 1\n  \xc3\xa4: [7, 8]\n", &faults);
	const struct sweep_value *list =
		sweep_value_get_named(sweep_value_get_named(v, "a"), "\xc3\xa4");

	(void)state;
	assert_int_equal(list->list.items[1].line, 3);
	assert_int_equal(list->list.items[1].column, 10);
}

static void broken_yaml_is_refused_at_its_place(void **state)
{
	(void)state;
	assert_refused(STR("a:\n\tb: 1\n"), 2, 1, "a tab cannot indent");
	assert_refused(STR("a: [1\n"), 2, 1, "invalid YAML");
	assert_refused(STR("a: b: c"), 1, 5, "invalid YAML");
	assert_refused(STR("a: 1\n---\nb: 2\n"), 2, 1, "more than one YAML document");
	assert_refused(STR("? [1]\n: 2\n"), 1, 3, "the name of a member must be a string");
	assert_refused(STR("a: \xff"), 1, 1, "not UTF-8");
	assert_refused(STR("a: \x01"), 1, 1, "control characters");
}

/* ---- hostile texts -------------------------------------------------------------------------------------------------- */

static struct str repeated(const char *begin, const char *what, size_t times)
{
	struct buf *b = buf_new(arena);

	buf_add_text(b, begin);
	for (size_t i = 0; i < times; i++)
		buf_add_text(b, what);
	return buf_str(b);
}

static bool is_good(struct str yaml)
{
	struct sweep_faults faults = { 0 };
	const struct sweep_value *v;

	return !sweep_yaml_read(arena, yaml, &v, &faults);
}

static void limits_hold_from_both_sides(void **state)
{
	struct str deepest = repeated("", "[", SWEEP_DEPTH_MAX);
	struct str most = repeated("[0", ",0", SWEEP_VALUES_MAX - 2);
	struct str longest = repeated("#", "x", SWEEP_TEXT_MAX - 1);

	(void)state;
	assert_true(is_good(str_of(arena_printf(arena, "%.*s%.*s", STR_ARG(deepest),
						STR_ARG(repeated("", "]", SWEEP_DEPTH_MAX))))));
	assert_refused(repeated("", "[", SWEEP_DEPTH_MAX + 1), 1, SWEEP_DEPTH_MAX + 1,
		       "more than 32 levels");
	assert_true(is_good(str_of(arena_printf(arena, "%.*s]", STR_ARG(most)))));
	assert_refused(str_of(arena_printf(arena, "%.*s,0]", STR_ARG(most))), 1,
		       (unsigned)most.len + 2, "more than 200000 values");
	assert_true(is_good(longest));
	assert_refused(repeated("##", "x", SWEEP_TEXT_MAX - 1), 1, 1, "longer than 1048576 bytes");
	assert_refused(repeated("", "- 12345\n", 10 << 17), 1, 1, "longer than 1048576 bytes");
}

/* Each line repeats the one before nine times: 9^9 values of 300 bytes. */
static void a_bomb_of_aliases_is_refused(void **state)
{
	struct buf *b = buf_new(arena);

	(void)state;
	buf_add_text(b, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++) {
		buf_printf(b, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			buf_printf(b, "%s*a%d", k ? ", " : "", i - 1);
		buf_add_text(b, "]\n");
	}
	assert_refused(buf_str(b), 6, 15,
		       "more than 200000 values, with those that aliases repeat");
}

static void a_tower_of_aliases_is_refused(void **state)
{
	struct buf *b = buf_new(arena);

	(void)state;
	buf_add_text(b, "- &a0 [x]\n");
	for (int i = 1; i < 40; i++)
		buf_printf(b, "- &a%d [*a%d]\n", i, i - 1);
	/* the list and 31 others: the alias in line 32 would be the 33rd level */
	assert_refused(buf_str(b), 32, 9, "more than 32 levels");
}

static void many_anchors_are_refused(void **state)
{
	struct buf *b = buf_new(arena);

	(void)state;
	for (int i = 0; i < 1001; i++)
		buf_printf(b, "- &a%d x\n", i);
	assert_refused(buf_str(b), 1001, 3, "more than 1000 anchors");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------------- */

static const struct sweep_value *read_json(const char *json)
{
	const struct sweep_value *v = NULL;
	err_t e = sweep_value_read_json(arena, str_of(json), &v);

	if (e)
		fail_msg("%s: %s", json, err_chain(arena, e));
	return v;
}

static void json_comes_back_as_python_writes_it(void **state)
{
	/* json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False) */
	static const char *const texts[][2] = {
		{ "[1, 1.0, -1, 1e5, 1E-5, 0.0001, 0.00001, 123456.789]",
		  "[1,1.0,-1,100000.0,1e-05,0.0001,1e-05,123456.789]" },
		{ "[1e15, 1e16, 1e17, 1.5e16, 1e22, 1.7976931348623157e308, 5e-324, -0.0, 0e3]",
		  "[1000000000000000.0,1e+16,1e+17,1.5e+16,1e+22,1.7976931348623157e+308,5e-324,-0.0,0.0]" },
		{ "[9007199254740993, 9007199254740993.0, 0.1, 0.30000000000000004, 100.0, 12345678901234567.0]",
		  "[9007199254740993,9007199254740992.0,0.1,0.30000000000000004,100.0,1.2345678901234568e+16]" },
		{ "[NaN, Infinity, -Infinity, true, false, null]",
		  "[NaN,Infinity,-Infinity,true,false,null]" },
		{ "{\"a\": {\"b\": []}, \"c\": {}, \"a\": 2}", "{\"a\":2,\"c\":{}}" },
		{ "\"\\u00e4\\\"\\n\\/\"", "\"\xc3\xa4\\\"\\n/\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_string_equal(str_copy(arena,
					     sweep_value_dump(arena, read_json(texts[i][0]))),
				    texts[i][1]);
}

static void broken_json_is_refused(void **state)
{
	static const char *const texts[] = {
		"",      "{",  "[1,]", "{\"a\":}", "01", "\"\\u0000\"", "9223372036854775808",
		"[1] 2", "nul"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct sweep_value *v;

		assert_non_null(sweep_value_read_json(arena, str_of(texts[i]), &v));
	}
}

static void json_knows_places_too(void **state)
{
	const struct sweep_value *v = read_json("{\"a\":\n  {\"\xc3\xa4\": 1, \"b\": 2}}");
	const struct sweep_member *b = &sweep_value_get_named(v, "a")->object.members[1];

	(void)state;
	assert_int_equal(b->line, 2);
	assert_int_equal(b->column, 12);
	assert_int_equal(b->value.line, 2);
	assert_int_equal(b->value.column, 17);
}

/* ---- equality -------------------------------------------------------------------------------------------------------------- */

static bool are_equal(const char *x, const char *y)
{
	const struct sweep_value *a = read_json(x);
	const struct sweep_value *b = read_json(y);
	bool is_equal = sweep_value_equal(a, b);

	assert_int_equal(is_equal, str_equal(sweep_value_key(arena, a), sweep_value_key(arena, b)));
	return is_equal;
}

static void values_are_equal_as_in_a_grid(void **state)
{
	(void)state;
	assert_true(are_equal("1", "1.0"));
	assert_true(are_equal("0", "-0.0"));
	assert_true(are_equal("NaN", "NaN"));
	assert_true(are_equal("{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}"));
	assert_true(are_equal("1e18", "1000000000000000000"));
	assert_false(are_equal("1", "true"));
	assert_false(are_equal("1", "\"1\""));
	assert_false(are_equal("0", "false"));
	assert_false(are_equal("null", "\"null\""));
	assert_false(are_equal("[1.0,2]", "[1,2]"));
	assert_false(are_equal("{\"a\":1}", "{\"a\":1.0}"));
	assert_false(are_equal("[[1],2]", "[[1,2]]"));
	assert_false(are_equal("1.5", "1"));
	assert_false(are_equal("9007199254740993", "9007199254740992.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_scalars_have_the_types_of_pyyaml),
		cmocka_unit_test(scalars_that_cannot_be_kept_are_refused),
		cmocka_unit_test(a_float_without_a_point_gives_a_warning),
		cmocka_unit_test(documents_of_pyyaml_are_read),
		cmocka_unit_test(aliases_and_merges_work_as_in_pyyaml),
		cmocka_unit_test(the_last_of_duplicate_names_counts),
		cmocka_unit_test(values_know_their_place),
		cmocka_unit_test(broken_yaml_is_refused_at_its_place),
		cmocka_unit_test(limits_hold_from_both_sides),
		cmocka_unit_test(a_bomb_of_aliases_is_refused),
		cmocka_unit_test(a_tower_of_aliases_is_refused),
		cmocka_unit_test(many_anchors_are_refused),
		cmocka_unit_test(json_comes_back_as_python_writes_it),
		cmocka_unit_test(broken_json_is_refused),
		cmocka_unit_test(json_knows_places_too),
		cmocka_unit_test(values_are_equal_as_in_a_grid),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
