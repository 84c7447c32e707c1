/* What of a whole summary was set, what history says, what is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "sdk_summary.h"

struct summary_case {
	const char *what;
	const char *sent;
	const char *before; /* NULL: not known, as of `common`, `last` and `now` */
	const char *common;
	const char *last;
	const char *now;
	bool derived;
	bool behind;     /* what is sent was made before `last` was logged */
	const char *set; /* NULL: {}, as of the next two */
	const char *gone;
	const char *logged;
};

static const struct summary_case cases[] = {
	{ "nothing", .sent = "{}" },
	{ "no object", .sent = "[1]", .before = "{}" },
	/* history */
	{ "what was logged with it is not set", .sent = "{\"a\":1,\"_step\":3}",
	  .last = "{\"a\":1,\"_timestamp\":5}", .logged = "{\"a\":1}" },
	{ "by value, not by how it is written", .sent = "{\"a\":1.0,\"b\":NaN}",
	  .last = "{\"a\":1,\"b\":\"NaN\"}", .logged = "{\"a\":1.0,\"b\":\"NaN\"}" },
	{ "nested values have dots in history", .sent = "{\"d\":{\"x\":1,\"y\":{\"z\":2}}}",
	  .last = "{\"d.x\":1,\"d.y.z\":2}", .logged = "{\"d\":{\"x\":1,\"y\":{\"z\":2}}}" },
	{ "or have them in their names", .sent = "{\"d.x\":1}", .last = "{\"d.x\":1}",
	  .logged = "{\"d.x\":1}" },
	{ "a value that is no number", .sent = "{\"t\":\"x\",\"l\":[1,2],\"o\":{}}",
	  .last = "{\"t\":\"x\",\"l\":[1,2],\"o\":{}}",
	  .logged = "{\"l\":[1,2],\"o\":{},\"t\":\"x\"}" },
	{ "logged earlier", .sent = "{\"a\":1,\"b\":2}", .before = "{\"a\":1}", .last = "{\"b\":2}",
	  .logged = "{\"b\":2}" },
	{ "steps and times follow from history, whatever is said",
	  .sent = "{\"_step\":9,\"_timestamp\":5.5,\"d\":{\"_step\":1}}",
	  .before = "{\"_step\":8,\"_timestamp\":1.0,\"d\":{\"_step\":1}}" },
	/* set */
	{ "set and never logged", .sent = "{\"best\":5}", .set = "{\"best\":5}" },
	{ "set to another value than was logged", .sent = "{\"a\":0.5}", .last = "{\"a\":0.7}",
	  .set = "{\"a\":0.5}" },
	{ "the same again", .sent = "{\"best\":5,\"a\":1}", .before = "{\"best\":5.0,\"a\":1}" },
	{ "the same again, while it is logged", .sent = "{\"a\":0.5}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}" },
	{ "another one", .sent = "{\"best\":6,\"a\":1}", .before = "{\"best\":5,\"a\":1}",
	  .set = "{\"best\":6}" },
	{ "one of several in an object", .sent = "{\"acc\":{\"max\":3,\"min\":1}}",
	  .before = "{\"acc\":{\"max\":2,\"min\":1}}", .last = "{\"acc\":3}",
	  .set = "{\"acc\":{\"max\":3}}" },
	{ "an empty object", .sent = "{\"o\":{}}", .set = "{\"o\":{}}" },
	{ "null", .sent = "{\"n\":null}", .before = "{\"n\":1}", .set = "{\"n\":null}" },
	/* logged after it was set: the next one says what history says, and the copy goes */
	{ "overtaken by history", .sent = "{\"a\":0.6}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.6}", .now = "{\"a\":0.5}", .logged = "{\"a\":0.6}" },
	{ "logged since", .sent = "{\"a\":0.5,\"b\":1,\"c\":1}", .before = "{\"a\":0.4,\"b\":1}",
	  .last = "{\"a\":0.6,\"b\":2}", .behind = true, .set = "{\"c\":1}",
	  .logged = "{\"a\":0.5,\"b\":1}" },
	{ "of an unknown past what history says is not set", .sent = "{\"a\":1,\"b\":2,\"c\":3}",
	  .last = "{\"a\":1,\"b\":7}", .now = "{\"c\":3}", .set = "{\"b\":2,\"c\":3}",
	  .logged = "{\"a\":1}" },
	/* gone */
	{ "not sent any more", .sent = "{\"a\":1}", .before = "{\"a\":1,\"b\":2,\"c\":{\"d\":1}}",
	  .gone = "{\"b\":2,\"c\":{\"d\":1}}" },
	{ "one of an object", .sent = "{\"c\":{\"e\":1}}", .before = "{\"c\":{\"d\":1,\"e\":1}}",
	  .gone = "{\"c\":{\"d\":1}}" },
	{ "an object in the place of a value", .sent = "{\"a\":{\"max\":1}}", .before = "{\"a\":1}",
	  .set = "{\"a\":{\"max\":1}}", .gone = "{\"a\":1}" },
	{ "a value in the place of an object", .sent = "{\"a\":1}", .before = "{\"a\":{\"max\":1}}",
	  .set = "{\"a\":1}", .gone = "{\"a\":{\"max\":1}}" },
	{ "all of it", .sent = "{}", .before = "{\"a\":1}", .gone = "{\"a\":1}" },
	/* one of several processes sends */
	{ "only what all of them had is gone", .sent = "{\"a\":1}",
	  .before = "{\"a\":1,\"b\":2,\"c\":3}", .common = "{\"a\":1,\"c\":3}",
	  .gone = "{\"c\":3}" },
	{ "of them nothing is known", .sent = "{\"a\":1}", .before = "{\"b\":2}", .common = "{}",
	  .set = "{\"a\":1}" },
	{ "as all of them had it, though another one has set it", .sent = "{\"a\":1,\"b\":2}",
	  .before = "{\"a\":7,\"b\":2}", .common = "{\"a\":1}" },
	/* runtimes */
	{ "the first runtime", .sent = "{\"_runtime\":3.5,\"_wandb\":{\"runtime\":3}}",
	  .last = "{\"_runtime\":3.5}", .set = "{\"_runtime\":3.5,\"_wandb\":{\"runtime\":3}}" },
	{ "greater ones", .sent = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}",
	  .before = "{\"_runtime\":3,\"_wandb\":{\"runtime\":3}}",
	  .now = "{\"_runtime\":7,\"_wandb\":{\"runtime\":7}}",
	  .set = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}" },
	{ "smaller than another writer's", .sent = "{\"_runtime\":9,\"_wandb\":{\"runtime\":9}}",
	  .before = "{\"_runtime\":3,\"_wandb\":{\"runtime\":3}}",
	  .now = "{\"_runtime\":9.5,\"_wandb\":{\"runtime\":10}}" },
	{ "other names in _wandb", .sent = "{\"_wandb\":{\"runtime\":1,\"x\":1},\"runtime\":1}",
	  .now = "{\"_wandb\":{\"runtime\":2}}", .set = "{\"_wandb\":{\"x\":1},\"runtime\":1}" },
	/* the server derives */
	{ "set before, logged now", .sent = "{\"a\":0.5,\"b\":1}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}", .now = "{\"a\":0.5}", .derived = true, .set = "{\"b\":1}",
	  .logged = "{\"a\":0.5}" },
	{ "set now, logged now", .sent = "{\"a\":0.6}", .before = "{\"a\":0.5}",
	  .last = "{\"a\":0.7}", .derived = true, .set = "{\"a\":0.6}" },
	{ "set before, not logged", .sent = "{\"a\":0.5}", .before = "{\"a\":0.5}",
	  .last = "{\"b\":0.7}", .derived = true },
};

/* Values as of the second 5, which is also when what is sent was made. */
static const struct json_doc *read_last(struct arena *a, const char *text)
{
	const struct json_doc *values = NULL;
	struct json_member *members;

	if (!text)
		return NULL;
	assert_null(json_doc_parse(a, str_of(text), &values));
	members = arena_new_array(a, struct json_member, values->count);
	for (size_t i = 0; i < values->count; i++) {
		const struct json_doc *pair[] = { json_doc_of_int64(a, 5),
						  values->members[i].value };

		members[i].name = values->members[i].name;
		members[i].value = json_doc_array(a, pair, 2);
	}
	return json_doc_object(a, members, values->count);
}

static const struct json_doc *read_doc(struct arena *a, const char *text)
{
	const struct json_doc *doc = NULL;

	if (text)
		assert_null(json_doc_parse(a, str_of(text), &doc));
	return doc;
}

static void expect(struct arena *a, const char *what, const char *part, const struct json_doc *is,
		   const char *wanted)
{
	if (!str_is(json_doc_dump(a, is), wanted ? wanted : "{}"))
		fail_msg("%s: %s is %s", what, part, json_doc_dump(a, is).at);
}

static void a_summary_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct summary_case *c = &cases[i];
		struct arena *a = arena_new(4096);
		struct sdk_summary_ask ask = {
			.sent = read_doc(a, c->sent),
			.before = read_doc(a, c->before),
			.common = read_doc(a, c->common),
			.last = read_last(a, c->last),
			.explicit_now = read_doc(a, c->now),
			.derived = c->derived,
		};
		struct sdk_summary_change change;

		if (json_doc_is(ask.sent, JSON_KIND_OBJECT) &&
		    !json_doc_get_named(ask.sent, "_timestamp") && !c->derived)
			ask.sent = json_doc_with(a, ask.sent, STR("_timestamp"),
						 json_doc_of_int64(a, c->behind ? 4 : 5));

		sdk_summary_judge(a, &ask, &change);
		expect(a, c->what, "what is set", change.set, c->set);
		expect(a, c->what, "what is gone", change.gone, c->gone);
		expect(a, c->what, "what was logged", change.logged, c->logged);
		arena_free(a);
	}
}

static void what_is_ahead_is_remembered(void **state)
{
	static const struct {
		const char *last; /* NULL: none */
		const char *sent;
		const char *ahead;
	} docs[] = {
		{ NULL, "{}", "{}" },
		{ "{}", NULL, "{}" },
		{ "{\"a\":[5,1],\"b\":[6,2]}", NULL, "{\"a\":[5,1],\"b\":[6,2]}" },
		{ "{\"a\":[5,1],\"b\":[6,2]}", "{\"a\":1}", "{\"a\":[5,1],\"b\":[6,2]}" },
		{ "{\"a\":[5,1],\"b\":[6,2]}", "{\"_timestamp\":5}", "{\"b\":[6,2]}" },
		{ "{\"a\":[5,1],\"b\":[6,2]}", "{\"_timestamp\":6}", "{}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *ahead =
			sdk_summary_ahead(a, read_doc(a, docs[i].last), read_doc(a, docs[i].sent));

		assert_string_equal(json_doc_dump(a, ahead).at, docs[i].ahead);
		arena_free(a);
	}
}

static void what_a_process_deletes(void **state)
{
	static const struct {
		const char *what;
		const char *sent;
		const char *before;
		const char *last;
		const char *own;
		const char *deleted;
		bool not_its_own, derived;
	} docs[] = {
		{ "nothing", "{\"a\":1,\"_timestamp\":5}", "{\"a\":1}", "{\"a\":[5,1]}", NULL,
		  "{}" },
		{ "what was sent before", "{\"_timestamp\":5}", "{\"a\":1,\"_runtime\":3}", NULL,
		  NULL, "{\"a\":null}" },
		{ "by another process", "{\"_timestamp\":5}", "{\"a\":1}", NULL, NULL, "{}", true },
		{ "logged before the first", "{\"_timestamp\":5}", NULL, "{\"a\":[5,1]}",
		  "{\"a\":[5,1]}", "{\"a\":null}" },
		{ "logged by another process", "{\"_timestamp\":5}", NULL, "{\"a\":[5,1]}", "{}",
		  "{}" },
		{ "logged since", "{\"_timestamp\":5}", "{\"a\":0}", "{\"a\":[6,1]}",
		  "{\"a\":[6,1]}", "{}" },
		{ "of an object", "{\"d\":{\"y\":1},\"_timestamp\":5}", "{\"d\":{\"x\":1,\"y\":1}}",
		  NULL, "{\"d.x\":[5,1],\"d.y\":[5,1]}", "{\"d.x\":null}" },
		{ "what became an object", "{\"a\":{\"min\":1},\"_timestamp\":5}", "{\"a\":1}",
		  NULL, "{\"a\":[5,1]}", "{}" },
		{ "a name with dots", "{\"d.x\":1,\"_timestamp\":5}", "{\"d\":{\"x\":1}}", NULL,
		  NULL, "{}" },
		{ "derived", "{}", "{\"a\":1}", "{\"b\":[1,1]}", "{\"b\":[1,1]}", "{}", false,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct sdk_summary_ask ask = {
			.sent = read_doc(a, docs[i].sent),
			.before = read_doc(a, docs[i].before),
			.last = read_doc(a, docs[i].last),
			.last_own = read_doc(a, docs[i].own),
			.before_is_own = !docs[i].not_its_own,
			.derived = docs[i].derived,
		};

		expect(a, docs[i].what, "what is deleted", sdk_summary_deleted(a, &ask),
		       docs[i].deleted);
		arena_free(a);
	}
}

/* {"<100,000 zeros>":{"k0":<value>,…}} */
static const struct json_doc *under_a_long_name(struct arena *a, int value)
{
	struct buf *b = buf_new(a);
	const struct json_doc *doc;

	buf_printf(b, "{\"%0100000d\":{\"k\":0", 0);
	for (int i = 0; i < 1000; i++)
		buf_printf(b, ",\"k%d\":%d", i, value);
	buf_add_text(b, "}}");
	assert_null(json_doc_parse(a, buf_str(b), &doc));
	return doc;
}

static void what_no_row_can_have_is_set(void **state)
{
	struct arena *a = arena_new(4096);
	struct sdk_summary_ask ask = { .sent = under_a_long_name(a, 1), .before_is_own = true };
	struct sdk_summary_change change;
	size_t size = arena_size(a);

	(void)state;
	sdk_summary_judge(a, &ask, &change);
	assert_true(json_doc_equal(change.set, ask.sent));
	ask.before = ask.sent;
	ask.sent = json_doc_empty();
	assert_int_equal(sdk_summary_deleted(a, &ask)->count, 0);
	assert_true(arena_size(a) < size + (4 << 20));
	arena_free(a);
}

static void what_is_before_its_rows_waits(void **state)
{
	static const struct {
		const char *sent;
		const char *before;
		const char *last;
		bool waits;
	} docs[] = {
		{ "{}", NULL, NULL, false },
		{ "{\"_timestamp\":5}", NULL, NULL, true },
		{ "{\"_timestamp\":5}", NULL, "{\"a\":[4,1]}", true },
		{ "{\"_timestamp\":5}", NULL, "{\"a\":[4,1],\"b\":[5,1]}", false },
		{ "{\"_timestamp\":5}", NULL, "{\"a\":[6,1]}", false },
		{ "{\"_timestamp\":5}", "{\"_timestamp\":5}", NULL, false },
		{ "{\"_timestamp\":5}", "{\"_timestamp\":4}", "{\"a\":[3,1]}", true },
		{ "{\"best\":5}", "{\"_timestamp\":4}", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct sdk_summary_ask ask = {
			.sent = read_doc(a, docs[i].sent),
			.before = read_doc(a, docs[i].before),
			.last = read_doc(a, docs[i].last),
		};

		if (sdk_summary_waits(&ask) != docs[i].waits)
			fail_msg("case %zu", i);
		arena_free(a);
	}
}

static void some_keys_may_differ(void **state)
{
	(void)state;
	assert_true(sdk_summary_may_differ(STR("acc.max")));
	assert_true(sdk_summary_may_differ(STR("val/acc.first")));
	assert_true(sdk_summary_may_differ(STR("_runtime")));
	assert_false(sdk_summary_may_differ(STR("max")));
	assert_false(sdk_summary_may_differ(STR("acc.maximum")));
	assert_false(sdk_summary_may_differ(STR("best_acc")));
	assert_false(sdk_summary_may_differ(STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_is_judged),
		cmocka_unit_test(what_is_ahead_is_remembered),
		cmocka_unit_test(what_a_process_deletes),
		cmocka_unit_test(what_no_row_can_have_is_set),
		cmocka_unit_test(what_is_before_its_rows_waits),
		cmocka_unit_test(some_keys_may_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
