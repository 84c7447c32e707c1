/* Config, summary and people's edits of a run as its writers send them; documents as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "document.h"

static struct arena *a;

static int setup(void **state)
{
	(void)state;
	a = arena_new(4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(a);
	return 0;
}

static const struct json_doc *doc(const char *text)
{
	const struct json_doc *made = NULL;

	if (!text)
		return NULL;
	assert_null(json_doc_parse(a, str_of(text), &made));
	return made;
}

static void check(const char *what, const struct json_doc *is, const char *expected)
{
	struct str text = json_doc_dump(a, is);

	if (!str_is(text, expected))
		fail_msg("%s: %.*s is not %s", what, STR_ARG(text), expected);
}

/* "key:0=1,1=2 key:…": conflicts in short. */
static void check_conflicts(const char *what, const struct conflicts *found, const char *expected)
{
	struct buf *text = buf_new(a);

	for (size_t i = 0; i < found->count; i++) {
		const struct conflict *c = &found->at[i];

		buf_printf(text, "%s%.*s:", i ? " " : "", STR_ARG(c->key));
		for (size_t k = 0; k < c->count; k++) {
			buf_printf(text, "%s%d=", k ? "," : "", c->values[k].writer);
			buf_add_str(text, json_doc_dump(a, c->values[k].value));
		}
	}
	if (!str_is(buf_str(text), expected))
		fail_msg("%s: \"%.*s\" is not \"%s\"", what, STR_ARG(buf_str(text)), expected);
}

/* ---- config ------------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	const char *parts[3]; /* in order of last change */
	const char *merged;
} config_cases[] = {
	{ "nobody sent one", { NULL }, "{}" },
	{ "one", { "{\"lr\":0.1}" }, "{\"lr\":0.1}" },
	{ "the last change wins", { "{\"lr\":0.1}", "{\"lr\":0.2}" }, "{\"lr\":0.2}" },
	{ "deep",
	  { "{\"o\":{\"lr\":1,\"b\":[1]}}", "{\"o\":{\"lr\":2,\"m\":3}}" },
	  "{\"o\":{\"b\":[1],\"lr\":2,\"m\":3}}" },
	{ "arrays are values", { "{\"b\":[1,2]}", "{\"b\":[3]}" }, "{\"b\":[3]}" },
	{ "null is a value, it erases nothing of others",
	  { "{\"x\":1,\"y\":1}", "{\"x\":null}" },
	  "{\"x\":null,\"y\":1}" },
	{ "an empty object erases nothing",
	  { "{\"o\":{\"x\":1}}", "{\"o\":{}}" },
	  "{\"o\":{\"x\":1}}" },
	{ "a value for an object", { "{\"o\":{\"x\":1}}", "{\"o\":5}" }, "{\"o\":5}" },
	{ "three", { "{\"a\":1}", "{\"b\":1}", "{\"a\":2,\"c\":1}" }, "{\"a\":2,\"b\":1,\"c\":1}" },
	{ "what its owner no longer sends is gone: the other's value shows again",
	  { "{\"lr\":0.1}", "{}" },
	  "{\"lr\":0.1}" },
};

static void test_config(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(config_cases) / sizeof(config_cases[0]); i++) {
		struct document_part parts[3];
		size_t count = 0;

		for (; count < 3 && config_cases[i].parts[count]; count++)
			parts[count] = (struct document_part){ (int32_t)count,
							       doc(config_cases[i].parts[count]) };
		check(config_cases[i].what, document_merge(a, parts, count),
		      config_cases[i].merged);
	}
}

static const struct {
	const char *what;
	const char *others[2]; /* of writers 0 and 1 */
	const char *before;    /* of writer 7 */
	const char *mine;
	const char *found;
} config_conflict_cases[] = {
	{ "alone", { NULL }, NULL, "{\"lr\":1}", "" },
	{ "the same value", { "{\"lr\":1}" }, NULL, "{\"lr\":1.0}", "" },
	{ "another value", { "{\"lr\":1}" }, NULL, "{\"lr\":2}", "lr:7=2,0=1" },
	{ "other keys", { "{\"lr\":1}" }, NULL, "{\"bs\":2}", "" },
	{ "it was so before", { "{\"lr\":1}" }, "{\"lr\":2}", "{\"lr\":2,\"x\":1}", "" },
	{ "changed again", { "{\"lr\":1}" }, "{\"lr\":2}", "{\"lr\":3}", "lr:7=3,0=1" },
	{ "given way", { "{\"lr\":1}" }, "{\"lr\":2}", "{\"lr\":1}", "" },
	{ "no longer sent", { "{\"lr\":1}" }, "{\"lr\":2}", "{}", "" },
	{ "two others", { "{\"lr\":1}", "{\"lr\":2}" }, NULL, "{\"lr\":3}", "lr:7=3,0=1,1=2" },
	{ "one of two others", { "{\"lr\":3}", "{\"lr\":2}" }, NULL, "{\"lr\":3}", "lr:7=3,1=2" },
	{ "by leaf, not by object",
	  { "{\"o\":{\"a\":1,\"b\":1}}" },
	  NULL,
	  "{\"o\":{\"b\":2,\"c\":3}}",
	  "o.b:7=2,0=1" },
	{ "a value for an object",
	  { "{\"o\":{\"a\":1}}" },
	  NULL,
	  "{\"o\":5}",
	  "o:7=5,0={\"a\":1}" },
	{ "an object for a value",
	  { "{\"o\":5}" },
	  NULL,
	  "{\"o\":{\"a\":1}}",
	  "o:7={\"a\":1},0=5" },
	{ "an empty object is no value", { "{\"o\":{\"a\":1}}" }, NULL, "{\"o\":{}}", "" },
	{ "an array", { "{\"o\":[1]}" }, NULL, "{\"o\":[2]}", "o:7=[2],0=[1]" },
	{ "null is a value", { "{\"o\":1}" }, NULL, "{\"o\":null}", "o:7=null,0=1" },
};

static void test_config_conflicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(config_conflict_cases) / sizeof(config_conflict_cases[0]);
	     i++) {
		const struct document_part mine = { 7, doc(config_conflict_cases[i].mine) };
		struct document_part others[2];
		struct conflicts found;
		size_t count = 0;

		for (; count < 2 && config_conflict_cases[i].others[count]; count++)
			others[count] = (struct document_part){
				(int32_t)count, doc(config_conflict_cases[i].others[count])
			};
		document_config_conflicts(a, others, count, &mine,
					  doc(config_conflict_cases[i].before), &found);
		check_conflicts(config_conflict_cases[i].what, &found,
				config_conflict_cases[i].found);
	}
}

/* Writers' values are kept for eight of them, keys for a thousand. */
static void test_conflict_limits(void **state)
{
	const struct document_part mine = { 99, doc("{\"lr\":-1}") };
	struct document_part others[20];
	struct conflicts found;
	struct buf *one = buf_new(a), *two = buf_new(a);
	struct document_part wide, other;

	(void)state;
	for (int i = 0; i < 20; i++)
		others[i] = (struct document_part){ i, doc(arena_printf(a, "{\"lr\":%d}", i)) };
	document_config_conflicts(a, others, 20, &mine, NULL, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.at[0].count, CONFLICT_VALUES);
	assert_int_equal(found.at[0].values[0].writer, 99);

	for (int i = 0; i < CONFLICT_KEYS + 5; i++) {
		buf_printf(one, "%c\"k%d\":1", i ? ',' : '{', i);
		buf_printf(two, "%c\"k%d\":2", i ? ',' : '{', i);
	}
	buf_add_text(one, "}");
	buf_add_byte(one, '\0');
	buf_add_text(two, "}");
	buf_add_byte(two, '\0');
	wide = (struct document_part){ 1, doc(one->at) };
	other = (struct document_part){ 0, doc(two->at) };
	document_config_conflicts(a, &other, 1, &wide, NULL, &found);
	assert_int_equal(found.count, CONFLICT_KEYS);
}

static void test_remembered(void **state)
{
	const struct json_doc *remembered = NULL;
	struct conflict c = { .key = STR("lr"), .count = 2 };

	(void)state;
	c.values[0] = (struct conflict_value){ 3, doc("1") };
	c.values[1] = (struct conflict_value){ 0, doc("2") };
	remembered = document_conflict_values(a, remembered, &c);
	check("new", remembered, "[{\"value\":1,\"writer\":3},{\"value\":2,\"writer\":0}]");
	c.values[0].value = doc("{\"x\":5}");
	c.values[1] = (struct conflict_value){ 4, doc("6") };
	remembered = document_conflict_values(a, remembered, &c);
	check("replaced and added", remembered,
	      "[{\"value\":{\"x\":5},\"writer\":3},{\"value\":2,\"writer\":0},"
	      "{\"value\":6,\"writer\":4}]");
	c.count = 1;
	for (int32_t writer = 10; writer < 30; writer++) {
		c.values[0].writer = writer;
		remembered = document_conflict_values(a, remembered, &c);
	}
	assert_int_equal(remembered->count, CONFLICT_VALUES);
	check("full, and who came last", remembered->items[7],
	      "{\"value\":{\"x\":5},\"writer\":29}");
	check("full, and who came before", remembered->items[6],
	      "{\"value\":{\"x\":5},\"writer\":13}");
	c.values[0] = (struct conflict_value){ 4, doc("7") };
	remembered = document_conflict_values(a, remembered, &c);
	check("full, and one of them again", remembered->items[2], "{\"value\":7,\"writer\":4}");
}

static void test_long_values_are_not_remembered_whole(void **state)
{
	struct buf *text = buf_new(a);
	struct conflict c = { .key = STR("k"), .count = 2 };
	const struct json_doc *remembered;
	struct str kept;

	(void)state;
	for (int i = 0; i < CONFLICT_VALUE_MAX_BYTES; i++)
		buf_add_text(text, "\xc3\xbc");
	c.values[0] = (struct conflict_value){ 0, json_doc_text(a, buf_str(text)) };
	c.values[1] = (struct conflict_value){ 1, json_doc_array(a, &c.values[0].value, 1) };
	remembered = document_conflict_values(a, NULL, &c);
	kept = json_doc_get_named(remembered->items[0], "value")->text;
	assert_true(kept.len <= CONFLICT_VALUE_MAX_BYTES && str_is_utf8(kept));
	assert_true(str_is((struct str){ kept.at + kept.len - 5, 5 }, "\xc3\xbc..."));
	check("a list", json_doc_get_named(remembered->items[1], "value"), "\"(8196 bytes)\"");
}

/* ---- summary ------------------------------------------------------------------------------------ */

static const struct {
	const char *what;
	struct {
		int32_t writer;
		const char *set;
	} steps[3];
	const char *doc;
	const char *setters;
	const char *found; /* conflicts of the last step */
} summary_cases[] = {
	{ "one", { { 0, "{\"best\":1}" } }, "{\"best\":1}", "{\"best\":0}", "" },
	{ "per key, the last write wins",
	  { { 0, "{\"best\":1,\"x\":1}" }, { 0, "{\"best\":2}" } },
	  "{\"best\":2,\"x\":1}",
	  "{\"best\":0,\"x\":0}",
	  "" },
	{ "two writers, one key",
	  { { 0, "{\"best\":1}" }, { 1, "{\"best\":2}" } },
	  "{\"best\":2}",
	  "{\"best\":1}",
	  "best:0=1,1=2" },
	{ "two writers, one value",
	  { { 0, "{\"best\":1}" }, { 1, "{\"best\":1}" } },
	  "{\"best\":1}",
	  "{\"best\":1}",
	  "" },
	{ "back to the first",
	  { { 0, "{\"best\":1}" }, { 1, "{\"best\":2}" }, { 0, "{\"best\":3}" } },
	  "{\"best\":3}",
	  "{\"best\":0}",
	  "best:1=2,0=3" },
	{ "leaves of one object contradict nothing",
	  { { 0, "{\"at\":{\"w0\":1}}" }, { 1, "{\"at\":{\"w1\":1}}" } },
	  "{\"at\":{\"w0\":1,\"w1\":1}}",
	  "{\"at\":{\"w0\":0,\"w1\":1}}",
	  "" },
	{ "a leaf of an object",
	  { { 0, "{\"at\":{\"x\":1,\"y\":1}}" }, { 1, "{\"at\":{\"x\":2,\"z\":1}}" } },
	  "{\"at\":{\"x\":2,\"y\":1,\"z\":1}}",
	  "{\"at\":{\"x\":1,\"y\":0,\"z\":1}}",
	  "at.x:0=1,1=2" },
	{ "a value for an object",
	  { { 0, "{\"at\":{\"x\":1}}" }, { 1, "{\"at\":5}" } },
	  "{\"at\":5}",
	  "{\"at\":1}",
	  "at:0={\"x\":1},1=5" },
	{ "a value for an object of one's own",
	  { { 0, "{\"at\":{\"x\":1}}" }, { 0, "{\"at\":5}" } },
	  "{\"at\":5}",
	  "{\"at\":0}",
	  "" },
	{ "an object for a value",
	  { { 0, "{\"at\":5}" }, { 1, "{\"at\":{\"x\":1}}" } },
	  "{\"at\":{\"x\":1}}",
	  "{\"at\":{\"x\":1}}",
	  "at:0=5,1={\"x\":1}" },
	{ "an empty object changes nothing",
	  { { 0, "{\"at\":{\"x\":1}}" }, { 1, "{\"at\":{}}" } },
	  "{\"at\":{\"x\":1}}",
	  "{\"at\":{\"x\":0}}",
	  "" },
	{ "null is a value",
	  { { 0, "{\"best\":1}" }, { 1, "{\"best\":null}" } },
	  "{\"best\":null}",
	  "{\"best\":1}",
	  "best:0=1,1=null" },
};

static void test_summary(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(summary_cases) / sizeof(summary_cases[0]); i++) {
		struct document_set now = { json_doc_empty(), json_doc_empty() };
		struct conflicts found = { .count = 0 };

		for (size_t k = 0; k < 3 && summary_cases[i].steps[k].set; k++) {
			const struct document_part set = { summary_cases[i].steps[k].writer,
							   doc(summary_cases[i].steps[k].set) };

			now = document_set_summary(a, &now, &set, &found);
		}
		check(summary_cases[i].what, now.doc, summary_cases[i].doc);
		check(summary_cases[i].what, now.setters, summary_cases[i].setters);
		check_conflicts(summary_cases[i].what, &found, summary_cases[i].found);
	}
}

/* ---- edits by people ------------------------------------------------------------------------------ */

static const struct {
	const char *what;
	const char *patch;
	const char *before;
	const char *after;
	const char *kept;
} overlay_cases[] = {
	{ "the same again", "{\"lr\":9}", "{\"lr\":1}", "{\"lr\":1}", "{\"lr\":9}" },
	{ "a new value", "{\"lr\":9}", "{\"lr\":1}", "{\"lr\":2}", "{}" },
	{ "another key", "{\"lr\":9}", "{\"lr\":1}", "{\"lr\":1,\"x\":1}", "{\"lr\":9}" },
	{ "sent for the first time", "{\"lr\":9}", NULL, "{\"lr\":1}", "{}" },
	{ "no longer sent", "{\"lr\":9}", "{\"lr\":1}", "{}", "{\"lr\":9}" },
	{ "a tombstone stands", "{\"lr\":null}", "{\"lr\":1}", "{\"lr\":1}", "{\"lr\":null}" },
	{ "a tombstone gives way", "{\"lr\":null}", "{\"lr\":1}", "{\"lr\":2}", "{}" },
	{ "leaf by leaf", "{\"o\":{\"a\":9,\"b\":9}}", "{\"o\":{\"a\":1,\"b\":1}}",
	  "{\"o\":{\"a\":2,\"b\":1}}", "{\"o\":{\"b\":9}}" },
	{ "the last leaf goes with its object", "{\"o\":{\"a\":9}}", "{\"o\":{\"a\":1}}",
	  "{\"o\":{\"a\":2}}", "{}" },
	{ "an object becomes a value", "{\"o\":{\"a\":9}}", "{\"o\":{\"a\":1}}", "{\"o\":3}",
	  "{}" },
	{ "of a deleted object only what is new comes back", "{\"o\":null}",
	  "{\"o\":{\"a\":1,\"b\":1,\"p\":{\"x\":1,\"y\":1}}}",
	  "{\"o\":{\"a\":2,\"b\":1,\"p\":{\"x\":1,\"y\":2},\"c\":1}}",
	  "{\"o\":{\"b\":null,\"p\":{\"x\":null}}}" },
	{ "a deleted object becomes a value", "{\"o\":null}", "{\"o\":{\"a\":1}}", "{\"o\":3}",
	  "{}" },
};

static void test_overlay(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(overlay_cases) / sizeof(overlay_cases[0]); i++) {
		const struct json_doc *after = doc(overlay_cases[i].after);
		const struct overlay_change news = { doc(overlay_cases[i].before), after, after };

		check(overlay_cases[i].what,
		      document_overlay_after(a, doc(overlay_cases[i].patch), &news),
		      overlay_cases[i].kept);
	}
}

static void test_overlay_add(void **state)
{
	const struct json_doc *patch = doc("{\"o\":{\"a\":1,\"b\":null},\"x\":1}");

	(void)state;
	patch = document_overlay_add(a, patch, doc("{\"o\":{\"a\":null,\"c\":2},\"x\":null}"),
				     json_doc_empty());
	check("edits pile up", patch, "{\"o\":{\"a\":null,\"b\":null,\"c\":2},\"x\":null}");
	check("and lie on top", json_doc_patch(a, doc("{\"o\":{\"a\":5,\"d\":5},\"x\":5}"), patch),
	      "{\"o\":{\"c\":2,\"d\":5}}");
}

/* RFC 7396, whatever the patches: one after the other on what was shown. */
static void test_edits_are_merge_patches(void **state)
{
	static const char *const values[] = { "null",
					      "5",
					      "{}",
					      "{\"a\":1}",
					      "{\"a\":null}",
					      "{\"b\":{\"y\":2}}",
					      "{\"b\":null,\"c\":3}",
					      "{\"b\":{\"x\":null}}" };
	static const char *const bases[] = { "{}", "{\"o\":5}",
					     "{\"o\":{\"a\":7,\"b\":{\"x\":8,\"z\":8}}}" };
	enum { VALUES = 8, STEPS = 3 };

	(void)state;
	for (size_t i = 0; i < 3 * VALUES * VALUES * VALUES; i++) {
		const struct json_doc *base = doc(bases[i % 3]);
		const struct json_doc *shown = base;
		const struct json_doc *patch = json_doc_empty();
		size_t rest = i / 3;

		for (int k = 0; k < STEPS; k++, rest /= VALUES) {
			const char *text = arena_printf(a, "{\"o\":%s}", values[rest % VALUES]);

			shown = json_doc_patch(a, shown, doc(text));
			patch = document_overlay_add(a, patch, doc(text), base);
		}
		check(arena_printf(a, "case %zu", i), json_doc_patch(a, base, patch),
		      json_doc_dump(a, shown).at);
	}
}

static struct str dump(const struct json_doc *of, const char *ret_error[1])
{
	struct str text = STR("");
	err_t e = document_dump(a, "config", of, &text);

	*ret_error = e ? e->message : "";
	if (e) {
		assert_int_equal(e->kind, ERR_UNPROCESSABLE);
		assert_string_equal(e->field, "config");
	}
	return text;
}

/* {"x": [null, …]}: so many values with the object and the list. */
static const struct json_doc *of_values(size_t count)
{
	const struct json_doc **items = arena_new_array(a, const struct json_doc *, count);
	struct json_member member = { STR("x"), NULL };

	for (size_t i = 0; i < count - 2; i++)
		items[i] = json_doc_null();
	member.value = json_doc_array(a, items, count - 2);
	return json_doc_object(a, &member, 1);
}

static const struct json_doc *of_bytes(size_t len)
{
	char *text = arena_alloc(a, len);
	struct json_member member = { STR("x"), NULL };

	memset(text, 'x', len);
	member.value = json_doc_text(a, (struct str){ text, len - strlen("{\"x\":\"\"}") });
	return json_doc_object(a, &member, 1);
}

static void test_text_within_its_limits(void **state)
{
	const char *error;

	(void)state;
	assert_true(str_is(dump(doc("{\"b\":1,\"a\":[2]}"), &error), "{\"a\":[2],\"b\":1}"));
	dump(of_values(JSON_DOC_MAX_VALUES), &error);
	assert_string_equal(error, "");
	dump(of_values(JSON_DOC_MAX_VALUES + 1), &error);
	assert_string_equal(error, "the run's config would have more than 250000 values");
	assert_int_equal(dump(of_bytes(DOCUMENT_MAX_BYTES), &error).len, DOCUMENT_MAX_BYTES);
	dump(of_bytes(DOCUMENT_MAX_BYTES + 1), &error);
	assert_string_equal(error, "the run's config would have more than 16777216 bytes");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_config),
		TEST(test_config_conflicts),
		TEST(test_conflict_limits),
		TEST(test_remembered),
		TEST(test_long_values_are_not_remembered_whole),
		TEST(test_summary),
		TEST(test_overlay),
		TEST(test_overlay_add),
		TEST(test_edits_are_merge_patches),
		TEST(test_text_within_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
