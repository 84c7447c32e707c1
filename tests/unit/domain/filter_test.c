/* Filters and orders: both forms, what is refused and where, and that nothing escapes its quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "filter.h"
#include "filter_build.h"
#include "order.h"

static err_t to_jsonpath(struct arena *a, struct str text, struct str *ret_path)
{
	const struct filter_node *node;
	err_t e;

	e = filter_parse(a, text, &node);
	if (e)
		return e;
	return filter_to_jsonpath(a, node, ret_path);
}

static const char *jsonpath_of(struct arena *a, const char *text)
{
	struct str path;
	err_t e = to_jsonpath(a, str_of(text), &path);

	if (e)
		fail_msg("%s: %s (%s)", text, e->message, e->field);
	return path.at;
}

static void filters_of_artifacts(void **state)
{
	static const struct {
		const char *text;
		const char *path; /* NULL: it is refused */
	} cases[] = {
		{ "type:model", "exists($.\"type\" ? (@ == \"model\"))" },
		{ "name:m", "exists($.\"collection\" ? (@ == \"m\"))" },
		{ "{\"alias\":\"best\"}", "exists($.\"aliases\" ? (@ == \"best\"))" },
		{ "tag:7", "exists($.\"tags\" ? (@ == \"7\"))" },
		{ "version>=3", "exists($.\"version\" ? (@ >= 3))" },
		{ "version:v3", "exists($.\"version\" ? (@ == \"v3\"))" },
		{ "metadata.lr<0.1", "exists($.\"metadata\".\"lr\" ? (@ < 0.1))" },
		{ "metadata.a.b:1", "(exists($.\"metadata\".\"a\".\"b\" ? (@ == 1)) || "
				    "exists($.\"metadata\".\"a.b\" ? (@ == 1)))" },
		{ "lr:1", NULL },
		{ "state:crashed", NULL },
		{ "config.lr:1", NULL },
		{ "metadata:1", NULL },
		{ "metadata..a:1", NULL },
		{ "created_at:soon", NULL },
	};
	struct arena *a = arena_new(1 << 16);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct filter_node *node;
		struct str path;
		err_t e = filter_parse_artifacts(a, str_of(cases[i].text), &node);

		if (!e)
			e = filter_to_jsonpath(a, node, &path);
		if (!cases[i].path) {
			assert_non_null(e);
			assert_int_equal(e->kind, ERR_INVALID);
			continue;
		}
		assert_null(e);
		assert_string_equal(path.at, cases[i].path);
	}
	arena_free(a);
}

static void free_words_and_expressions_are_patterns(void **state)
{
	static const char *const with[] = { "word", "type:/^m/", "not (type:a or /x/)" };
	struct arena *a = arena_new(1 << 16);
	const struct filter_node *node;

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		assert_null(filter_parse_artifacts(a, str_of(with[i]), &node));
		assert_true(filter_has_patterns(node));
	}
	assert_null(filter_parse_artifacts(a, STR("type:a not alias:b"), &node));
	assert_false(filter_has_patterns(node));
	arena_free(a);
}

static void both_forms_become_one_predicate(void **state)
{
	static const struct {
		const char *text;
		const char *path;
	} cases[] = {
		{ "", "(1 == 1)" },
		{ "  \n", "(1 == 1)" },
		{ "{}", "(1 == 1)" },
		{ "{\"$or\":[{}]}", "(1 == 1)" },
		{ "group:crashed", "exists($.\"group\" ? (@ == \"crashed\"))" },
		{ "{\"group\":\"crashed\"}", "exists($.\"group\" ? (@ == \"crashed\"))" },
		{ "{\"group\":{\"$ne\":\"a\"}}", "(!(exists($.\"group\" ? (@ == \"a\"))))" },
		{ "not group:a", "(!(exists($.\"group\" ? (@ == \"a\"))))" },
		{ "NOT NOT group:a", "exists($.\"group\" ? (@ == \"a\"))" },
		{ "group!=a", "(!(exists($.\"group\" ? (@ == \"a\"))))" },
		{ "config.lr<0.01", "exists($.\"config\".\"lr\" ? (@ < 0.01))" },
		{ "config.lr<=-1e-3", "exists($.\"config\".\"lr\" ? (@ <= -1e-3))" },
		{ "{\"config.lr.value\":{\"$gte\":1,\"$lt\":2}}",
		  "(exists($.\"config\".\"lr\" ? (@ >= 1)) && exists($.\"config\".\"lr\" ? (@ < 2)))" },
		{ "{\"config.m.value.d\":1}", "(exists($.\"config\".\"m\".\"d\" ? (@ == 1)) || "
					      "exists($.\"config\".\"m.d\" ? (@ == 1)))" },
		{ "{\"config.m.d.value\":1}", "(exists($.\"config\".\"m\".\"d\" ? (@ == 1)) || "
					      "exists($.\"config\".\"m.d\" ? (@ == 1)))" },
		{ "{\"keys_info.keys.loss\":{\"$exists\":true}}",
		  "exists($.\"summary\".\"loss\")" },
		{ "{\"sweep\":\"s\"}", "exists($.\"sweep\" ? (@ == \"s\"))" },
		{ "config.x:true", "exists($.\"config\".\"x\" ? (@ == true))" },
		{ "config.x:\"true\"", "exists($.\"config\".\"x\" ? (@ == \"true\"))" },
		{ "config.x:True", "exists($.\"config\".\"x\" ? (@ == true))" },
		{ "config.x:False", "exists($.\"config\".\"x\" ? (@ == false))" },
		{ "config.x:\"None\"", "exists($.\"config\".\"x\" ? (@ == \"None\"))" },
		{ "config.x:TRUE", "exists($.\"config\".\"x\" ? (@ == \"TRUE\"))" },
		{ "group:None", "exists($.\"group\" ? (@ == \"None\"))" },
		{ "config.x:None", "(!exists($.\"config\".\"x\") || "
				   "exists($.\"config\".\"x\" ? (@ == null)))" },
		{ "config.x:007", "exists($.\"config\".\"x\" ? (@ == \"007\"))" },
		{ "id:12345678", "exists($.\"id\" ? (@ == \"12345678\"))" },
		{ "config.\"a.b\":1", "exists($.\"config\".\"a.b\" ? (@ == 1))" },
		{ "summary.val/loss>0.5", "exists($.\"summary\".\"val/loss\" ? (@ > 0.5))" },
		{ "summary.a.b>1", "(exists($.\"summary\".\"a\".\"b\" ? (@ > 1)) || "
				   "exists($.\"summary\".\"a.b\" ? (@ > 1)))" },
		{ "{\"summary_metrics.a.b\":null}",
		  "((!exists($.\"summary\".\"a\".\"b\") || exists($.\"summary\".\"a\".\"b\" ? (@ == null)))"
		  " && "
		  "(!exists($.\"summary\".\"a.b\") || exists($.\"summary\".\"a.b\" ? (@ == null))))" },
		{ "group:a,b",
		  "(1 == 0 || exists($.\"group\" ? (@ == \"a\")) || exists($.\"group\" ? (@ == \"b\")))" },
		{ "{\"group\":{\"$in\":[]}}", "(1 == 0)" },
		{ "has:config.x", "exists($.\"config\".\"x\")" },
		{ "{\"config.x\":{\"$exists\":false}}", "(!(exists($.\"config\".\"x\")))" },
		{ "tags.good:true", "exists($.\"tags\" ? (@ == \"good\"))" },
		{ "{\"group\":{\"$regex\":\"^a\",\"$options\":\"i\"}}", "($\"m0\" == true)" },
		{ "group:/a\\/b\\d/i", "($\"m0\" == true)" },
		{ "word group:/b/ not \"c d\"",
		  "(($\"m0\" == true) && ($\"m1\" == true) && (!(($\"m2\" == true))))" },
		{ "created_at>=2026-11-21", "exists($.\"created_at\" ? (@ >= \"2026-11-21\"))" },
		{ "created_at:2026-11-21",
		  "exists($.\"created_at\" ? (@ starts with \"2026-11-21\"))" },
		{ "{\"createdAt\":{\"$gt\":\"2026-11-21T11:00:00+01:00\"}}",
		  "exists($.\"created_at\" ? (@ > \"2026-11-21T10:00:00.000000Z\"))" },
		{ "group:a (group:b OR group:c) user:d",
		  "(exists($.\"group\" ? (@ == \"a\")) && "
		  "(exists($.\"group\" ? (@ == \"b\")) || exists($.\"group\" ? (@ == \"c\"))) && "
		  "exists($.\"user\" ? (@ == \"d\")))" },
		{ "name:x",
		  "(exists($.\"display_name\" ? (@ == \"x\")) || exists($.\"id\" ? (@ == \"x\")))" },
		{ "group:\"say \\\"hi\\\"\"",
		  "exists($.\"group\" ? (@ == \"say \\u0022hi\\u0022\"))" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);

		assert_string_equal(jsonpath_of(a, cases[i].text), cases[i].path);
		arena_free(a);
	}
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *field;
		const char *message;
	} cases[] = {
		{ "group:", "filter", "expected a value, at character 7" },
		{ "group:a foo:1", "filter", "unknown key \"foo\", at character 9" },
		{ "\xc3\xa4 foo:1", "filter", "unknown key \"foo\", at character 3" },
		{ "(group:a", "filter", "unclosed bracket, at character 1" },
		{ "group:a)", "filter", "unmatched closing bracket, at character 8" },
		{ "group:\"a", "filter", "unterminated quote, at character 7" },
		{ "name:/a", "filter", "unterminated regular expression, at character 6" },
		{ "group:a or", "filter", "expected a condition, at character 11" },
		{ "not", "filter", "expected a condition, at character 4" },
		{ "config.x<true", "filter", "expected a number or a string, at character 10" },
		{ "config.:1", "filter", "unknown key \"config.\", at character 1" },
		{ "tags.a:b", "filter",
		  "a single tag can only be compared with true, at character 8" },
		{ "created_at>5", "filter",
		  "expected a time such as \"2026-11-21T10:00:00Z\", at character 12" },
		{ "created_at>2026-13-01", "filter",
		  "expected a time such as \"2026-11-21T10:00:00Z\", at character 12" },
		{ "created_at<yesterday", "filter", NULL },
		{ "{\"created_at\":\"2026-11-2x\"}", "filter.created_at", NULL },
		{ "config.x<0.1,0.2", "filter",
		  "a list of values requires the operator :, = or !=, at character 13" },
		{ "group:/a/,/b/", "filter",
		  "a regular expression cannot be part of a list, at "
		  "character 10" },
		{ "group:/a/x", "filter", "expected a blank, at character 10" },
		{ "group:\"a\"b", "filter", "expected a blank, at character 10" },
		{ "config.x>=1<=2", "filter",
		  "quote values that contain operators, at character 11" },
		{ "group::a", "filter", NULL },
		{ "config.lr<<0.1", "filter",
		  "expected a value after the operator; quote values that contain operators, at "
		  "character 11" },
		{ "group=>a", "filter", NULL },
		{ "or group:a", "filter", "expected a condition, at character 1" },
		{ "group:a or and group:b", "filter", "expected a condition, at character 12" },
		{ "group:a && group:b", "filter",
		  "expected \"not\", \"and\", \"or\" or a quoted text, at character 9" },
		{ "!group:a", "filter", NULL },
		{ "has:", "filter", "expected a key, at character 5" },
		{ "= 5", "filter", "expected a key, at character 1" },
		{ "group = ", "filter", "expected a value, at character 9" },
		{ "state:done", "filter", "unknown state \"done\", at character 7" },
		{ "not state:failed,\"Crashed\"", "filter",
		  "unknown state \"Crashed\", at character 18" },
		{ "config.lr in (1, 2)", "filter",
		  "expected an operator after the key, such as : or <, at character 10" },
		{ "a summary.loss", "filter",
		  "expected an operator after the key, such as : or <, at character 15" },
		{ "{\"foo\":1}", "filter.foo", "unknown key \"foo\"" },
		{ "{\"$or\":[{},{\"config.x\":{\"$gt\":null}}]}", "filter.$or[1].config.x.$gt",
		  "expected a number or a string" },
		{ "{\"$or\":[]}", "filter.$or", "expected a list of filters" },
		{ "{\"group\":{\"$in\":[1,[2]]}}", "filter.group.$in[1]",
		  "expected a single value; use \"$in\" for a list" },
		{ "{\"group\":{\"$like\":1}}", "filter.group.$like", NULL },
		{ "{\"group\":{}}", "filter.group", NULL },
		{ "{\"group\":{\"$options\":\"i\"}}", "filter.group", NULL },
		{ "{\"config.x\":1e999}", NULL, NULL },
		{ "{\"$where\":1}", "filter.$where", NULL },
		{ "{\"a\":1", NULL, NULL },
		{ "{\"group\":\"\\u0000\"}", NULL, NULL },
		{ "group:\xff", "filter", "the filter is not UTF-8 text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str path;
		err_t e = to_jsonpath(a, str_of(cases[i].text), &path);

		if (!e)
			fail_msg("\"%s\" was taken", cases[i].text);
		assert_int_equal(e->kind, ERR_INVALID);
		if (cases[i].field)
			assert_string_equal(e->field, cases[i].field);
		if (cases[i].message)
			assert_string_equal(e->message, cases[i].message);
		arena_free(a);
	}
}

/* What people write, and what it means. */
static void one_thing_is_written_in_several_ways(void **state)
{
	static const struct {
		const char *text;
		const char *same;
	} cases[] = {
		{ "config.x < 0.5", "config.x<0.5" },
		{ "group : a  config.x\t>=\n1", "group:a config.x>=1" },
		{ "group == a", "group:a" },
		{ "config.x<.5", "config.x<0.5" },
		{ "config.x>-.5", "config.x>-0.5" },
		{ "config.x:+5,5.", "config.x:5,5" },
		{ "config.x:+.", "config.x:\"+.\"" },
		{ "config.x:..5", "config.x:\"..5\"" },
		{ "config.x:a=b", "config.x:\"a=b\"" },
		{ "created_at>2026-11-3", "created_at>\"2026-11-3\"" },
		{ "created_at>=\"2026-11-21T12:00:00+02:00\"", "created_at>=2026-11-21T10:00:00Z" },
		{ "not(group:a)(group:b)", "not group:a group:b" },
		{ "{\"config.x\":{\"$not\":{\"$lt\":1}}}", "not config.x<1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);

		assert_string_equal(jsonpath_of(a, cases[i].text), jsonpath_of(a, cases[i].same));
		arena_free(a);
	}
}

static char *repeated(struct arena *a, const char *head, const char *middle, size_t count,
		      const char *tail)
{
	char *text = arena_alloc(a, strlen(head) + strlen(middle) * count + strlen(tail) + 1);
	char *end = stpcpy(text, head);

	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, middle);
	stpcpy(end, tail);
	return text;
}

static void size_and_depth_are_bounded(void **state)
{
	static const struct {
		const char *head, *middle, *tail;
		size_t good, bad;
	} cases[] = {
		{ "", "(", "group:a", 0, 10000 },
		{ "", "group:a ", "", 200, 513 },
		{ "group:a", ",a", "", 300, 600 },
		{ "{\"group\":\"a\"}", " ", "", 10, FILTER_TEXT_MAX },
		{ "config.", "a.", "b:1", 14, 15 },
		{ "group:/", "a", "/", FILTER_REGEX_MAX, FILTER_REGEX_MAX + 1 },
		{ "config.x<0.", "1", "", 38, 39 },
		{ "", "word ", "", FILTER_PATTERNS_MAX, FILTER_PATTERNS_MAX + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str path;
		char *good =
			repeated(a, cases[i].head, cases[i].middle, cases[i].good, cases[i].tail);
		char *bad =
			repeated(a, cases[i].head, cases[i].middle, cases[i].bad, cases[i].tail);
		err_t e = to_jsonpath(a, str_of(good), &path);

		if (e)
			fail_msg("%s: %s", good, e->message);
		e = to_jsonpath(a, str_of(bad), &path);
		/* Too long for a number: it is a text, which is no error. */
		assert_true(e || strstr(path.at, "< \"0.1"));
		arena_free(a);
	}
}

static void deep_json_is_refused(void **state)
{
	struct arena *a = arena_new(4096);
	struct str path;
	char *text;

	(void)state;
	text = repeated(a, "{\"$not\":", "{\"$not\":", 14, "{\"group\":1}");
	text = arena_printf(a, "%s%s", text, "}}}}}}}}}}}}}}}");
	assert_null(to_jsonpath(a, str_of(text), &path));
	text = repeated(a, "", "{\"$not\":", 17, "{}");
	text = arena_printf(a, "%s%s", text, "}}}}}}}}}}}}}}}}}");
	assert_non_null(to_jsonpath(a, str_of(text), &path));
	arena_free(a);
}

/* Outside of quotes a predicate has only words of the language. */
static void assert_well_quoted(const char *path)
{
	static const char *const words[] = { "exists", "starts", "with", "m",      "null",
					     "true",   "false",  "is",   "unknown" };
	const char *p = path;

	while (*p) {
		size_t word = strspn(p, "abcdefghijklmnopqrstuvwxyz_");
		bool known = word == 0;

		for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
			known |= strlen(words[i]) == word && strncmp(p, words[i], word) == 0;
		if (word == 1 && *p == 'e') /* of a number */
			known = true;
		if (!known)
			fail_msg("outside of quotes: %s\nin %s", p, path);
		p += word;
		if (*p == '"') {
			p++;
			while (*p && *p != '"')
				p += *p == '\\' ? 2 : 1;
			assert_int_equal(*p++, '"');
		} else if (!word) {
			assert_non_null(strchr(" $.@?()[]*!&|=<>-+0123456789E", *p));
			p++;
		}
	}
}

/* Texts of pieces that mean something in either form, in jsonpath or in SQL. */
static void nothing_escapes_its_quotes(void **state)
{
	static const char *const pieces[] = {
		"group",
		"config.",
		"a",
		":",
		"<",
		"!=",
		"\"",
		"\\",
		"'",
		"/",
		"(",
		")",
		" ",
		"or ",
		"not ",
		"has:",
		"{",
		"}",
		"[",
		"]",
		",",
		"$or",
		"$in",
		"$regex",
		"\"$gt\":",
		"1",
		"-1e5",
		"true",
		"null",
		"\n",
		"\x01",
		"\x7f",
		"\xc3\xa4",
		"--",
		";",
		"$$",
		"@",
		"?",
		"\\u0022",
		"{\"group\":",
		"{\"config.x\":{\"$ne\":\"",
		"\"}}",
		"&&",
		"||",
		"\")) || (1==1",
	};
	unsigned seed = 20261121;
	size_t taken = 0;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct arena *a = arena_new(4096);
		char text[256] = "";
		struct str path;

		for (unsigned i = 0, count = 1 + (unsigned)rand_r(&seed) % 10; i < count; i++)
			strncat(text,
				pieces[(unsigned)rand_r(&seed) %
				       (sizeof(pieces) / sizeof(pieces[0]))],
				sizeof(text) - strlen(text) - 1);
		if (!to_jsonpath(a, str_of(text), &path)) {
			assert_int_equal(strlen(path.at), path.len);
			assert_well_quoted(path.at);
			taken++;
		}
		arena_free(a);
	}
	assert_true(taken > 500);
}

static void orders_name_places_and_directions(void **state)
{
	struct arena *a = arena_new(4096);
	struct order order;

	(void)state;
	assert_null(order_parse(a, STR(""), &order));
	assert_int_equal(order.count, 0);
	assert_null(
		order_parse(a, STR("-summary_metrics.val/loss, +createdAt,config.a.b"), &order));
	assert_int_equal(order.count, 3);
	assert_true(order.keys[0].descending);
	assert_false(order.keys[1].descending);
	assert_string_equal(order_path_text(a, &order.keys[0].path).at,
			    "{\"summary\",\"val/loss\"}");
	assert_string_equal(order_path_text(a, &order.keys[1].path).at, "{\"created_at\"}");
	assert_string_equal(order_path_text(a, &order.keys[2].path).at, "{\"config\",\"a\",\"b\"}");
	assert_null(order_parse(a, STR("config.a\"\\b"), &order));
	assert_string_equal(order_path_text(a, &order.keys[0].path).at,
			    "{\"config\",\"a\\\"\\\\b\"}");
	arena_free(a);
}

static void orders_by_metrics(void **state)
{
	struct arena *a = arena_new(4096);
	struct order order;

	(void)state;
	assert_null(order_parse_metrics(
		a, STR("-min(eval/loss), +config.lr,mean( f(x) ),last(last(x))"), &order));
	assert_int_equal(order.count, 4);
	assert_int_equal(order.keys[0].of, ORDER_OF_MIN);
	assert_true(order.keys[0].descending && str_is(order.keys[0].metric, "eval/loss"));
	assert_int_equal(order.keys[0].path.count, 0);
	assert_int_equal(order.keys[1].of, ORDER_OF_DOCUMENT);
	assert_int_equal(order.keys[1].path.count, 2);
	assert_true(str_is(order.keys[2].metric, " f(x) "));
	assert_int_equal(order.keys[3].of, ORDER_OF_LAST);
	assert_true(str_is(order.keys[3].metric, "last(x)"));
	arena_free(a);
}

static void bad_orders_are_refused(void **state)
{
	static const char *const bad[] = { "-",      ",group", "group,,id",      "foo",
					   "tags.a", "config", "id,id,id,id,id", "group\nx" };
	struct arena *a = arena_new(4096);
	struct order order;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err_t e = order_parse(a, str_of(bad[i]), &order);

		if (!e)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_string_equal(e->field, "order");
		e = order_parse_metrics(a, str_of(bad[i]), &order);
		assert_true(e && strcmp(e->field, "order") == 0);
	}
	assert_non_null(order_parse(a, STR("min(loss)"), &order));
	assert_non_null(order_parse_metrics(a, STR("min()"), &order));
	assert_non_null(order_parse_metrics(a, STR("max(a,b)"), &order));
	assert_non_null(order_parse_metrics(a, STR("loss@best(acc)"), &order));
	arena_free(a);
}

/* The sections that have a key decide what it means; lr is in config, loss in summary, both in both. */
static void resolve(struct filter_bare *bare)
{
	for (size_t i = 0; i < bare->count; i++) {
		const struct str name = bare->keys[i].path.names[0];

		bare->keys[i].sections = str_is(name, "lr")     ? FILTER_CONFIG
					 : str_is(name, "loss") ? FILTER_SUMMARY
					 : str_is(name, "both") ? FILTER_CONFIG | FILTER_SUMMARY
								: 0;
	}
	bare->is_known = true;
}

static err_t parse_bare(struct arena *a, const char *text, unsigned of_status,
			const struct filter_node **ret_node)
{
	struct filter_bare bare = { .count = 0 };

	assert_null(filter_parse_bare(a, str_of(text), &bare, ret_node));
	resolve(&bare);
	for (size_t i = 0; i < bare.count; i++) {
		if (str_is(bare.keys[i].path.names[0], "status"))
			bare.keys[i].sections = of_status;
	}
	return filter_parse_bare(a, str_of(text), &bare, ret_node);
}

static void a_key_without_its_section(void **state)
{
	static const struct {
		const char *text;
		const char *same; /* or, with no such filter, */
		const char *error;
		unsigned of_status;
	} cases[] = {
		{ "lr<0.1", "config.lr<0.1", NULL, 0 },
		{ "lr.a:1 or has:loss.b", "config.lr.a:1 or has:summary.loss.b", NULL, 0 },
		{ "{\"lr\":{\"$gt\":1},\"$not\":{\"loss\":2}}",
		  "{\"config.lr\":{\"$gt\":1},\"$not\":{\"summary.loss\":2}}", NULL, 0 },
		{ "tag:x status:failed", "tags:x state:failed", NULL, 0 },
		{ "name:x group:y", "name:x group:y", NULL, 0 },
		{ "a both<1", NULL,
		  "\"both\" is a key of config and of summary: write config.both or summary.both, "
		  "at character 3",
		  0 },
		{ "both.\"x y\":1", NULL,
		  "\"both.x y\" is a key of config and of summary: write config.both.\"x y\" or "
		  "summary.both.\"x y\", at character 1",
		  0 },
		{ "status:x", NULL,
		  "\"status\" is a key of config and another name of state: write config.status or "
		  "state, at character 1",
		  FILTER_CONFIG },
		{ "none:1", NULL, "unknown key \"none\", at character 1", 0 },
		{ "status:broken", NULL, "unknown state \"broken\", at character 8", 0 },
		{ "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o:1", NULL,
		  "unknown key \"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o\", at character 1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct filter_node *node;
		const struct filter_node *wanted;
		struct str text;
		struct str same;
		err_t e = parse_bare(a, cases[i].text, cases[i].of_status, &node);

		if (cases[i].error) {
			assert_non_null(e);
			assert_string_equal(e->message, cases[i].error);
		} else {
			assert_null(e);
			assert_null(filter_parse(a, str_of(cases[i].same), &wanted));
			assert_null(filter_to_jsonpath(a, node, &text));
			assert_null(filter_to_jsonpath(a, wanted, &same));
			assert_string_equal(text.at, same.at);
		}
		arena_free(a);
	}
}

static void too_many_keys_without_their_section(void **state)
{
	struct arena *a = arena_new(4096);
	struct filter_bare bare = { .count = 0 };
	struct buf *text = buf_new(a);
	const struct filter_node *node;

	(void)state;
	for (int i = 0; i < FILTER_BARE_MAX; i++)
		buf_printf(text, "k%d:1 k%d:2 ", i, i);
	assert_null(filter_parse_bare(a, buf_str(text), &bare, &node));
	assert_int_equal(bare.count, FILTER_BARE_MAX);
	bare.count = 0;
	buf_add_text(text, "k:1");
	assert_non_null(filter_parse_bare(a, buf_str(text), &bare, &node));
	arena_free(a);
}

static void an_order_by_a_key_without_its_section(void **state)
{
	struct filter_bare bare = { .count = 0 };
	struct arena *a = arena_new(4096);
	struct order order;
	err_t e;

	(void)state;
	assert_null(order_parse_metrics_bare(a, STR("-loss,min(lr),lr,id"), &bare, &order));
	resolve(&bare);
	assert_null(order_parse_metrics_bare(a, STR("-loss,min(lr),lr,id"), &bare, &order));
	assert_string_equal(order_path_text(a, &order.keys[0].path).at, "{\"summary\",\"loss\"}");
	assert_true(order.keys[0].descending);
	assert_string_equal(order_path_text(a, &order.keys[2].path).at, "{\"config\",\"lr\"}");
	e = order_parse_bare(a, STR("foo"), &bare, &order);
	assert_string_equal(e->message, "unknown key \"foo\"");
	assert_string_equal(e->field, "order");
	arena_free(a);
}

static void numbers_have_the_grammar_of_json(void **state)
{
	static const char *const numbers[] = { "0",      "-0",       "7",     "10",    "-12",
					       "0.5",    "10.25",    "1e9",   "1E+09", "1.5e-3",
					       "-0e999", "1.0E-999", "1e+999" };
	static const char *const others[] = { "",      "-",   "+1",     "--1",     "00",
					      "01",    "-01", ".5",     "0.",      "1.e5",
					      "1e",    "e5",  "1e+",    "1ex",     "1e-",
					      "1x5",   "0x1", "1e1000", "1e+1000", "1e-1000",
					      "1e99x", "1 " };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!filter_is_decimal(str_of(numbers[i])))
			fail_msg("%s is a number", numbers[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (filter_is_decimal(str_of(others[i])))
			fail_msg("\"%s\" is not a number", others[i]);
	}
}

/* Numbers of filters are short; those of documents have any length. */
static void a_number_of_a_filter_has_at_most_so_many_characters(void **state)
{
	char digits[FILTER_NUMBER_MAX + 1];

	(void)state;
	memset(digits, '7', sizeof(digits));
	assert_true(filter_is_number((struct str){ digits, FILTER_NUMBER_MAX }));
	assert_false(filter_is_number((struct str){ digits, FILTER_NUMBER_MAX + 1 }));
	assert_true(filter_is_decimal((struct str){ digits, FILTER_NUMBER_MAX + 1 }));
}

static void people_write_numbers_in_shorter_forms(void **state)
{
	static const char *const words[][2] = {
		{ "+5", "5" },    { "-5", "-5" },   { ".5", "0.5" },      { "-.5", "-0.5" },
		{ "5.", "5" },    { "+.5", "0.5" }, { "1.5e3", "1.5e3" }, { "+", "+" },
		{ "-", "-" },     { ".", "." },     { "", "" },           { "+x", "+x" },
		{ "v1.", "v1." },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct str number = filter_number_of_word(a, str_of(words[i][0]));

		if (!str_is(number, words[i][1]))
			fail_msg("%s is written as %.*s", words[i][0], STR_ARG(number));
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_grammar_of_json),
		cmocka_unit_test(a_number_of_a_filter_has_at_most_so_many_characters),
		cmocka_unit_test(people_write_numbers_in_shorter_forms),
		cmocka_unit_test(a_key_without_its_section),
		cmocka_unit_test(too_many_keys_without_their_section),
		cmocka_unit_test(an_order_by_a_key_without_its_section),
		cmocka_unit_test(both_forms_become_one_predicate),
		cmocka_unit_test(filters_of_artifacts),
		cmocka_unit_test(free_words_and_expressions_are_patterns),
		cmocka_unit_test(what_is_wrong_is_named_with_its_place),
		cmocka_unit_test(one_thing_is_written_in_several_ways),
		cmocka_unit_test(size_and_depth_are_bounded),
		cmocka_unit_test(deep_json_is_refused),
		cmocka_unit_test(nothing_escapes_its_quotes),
		cmocka_unit_test(orders_name_places_and_directions),
		cmocka_unit_test(orders_by_metrics),
		cmocka_unit_test(bad_orders_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
