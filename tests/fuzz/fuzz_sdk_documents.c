/*
 * Documents as the SDK sends them: what is unwrapped and opened comes back wrapped and closed; what a summary
 * sets and what is gone from it are parts of what was sent, now and before.
 *
 * Input: what is sent, what was sent before, what is set and what was logged, a line each.
 */
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "json_doc.h"
#include "sdk_config.h"
#include "sdk_lists.h"
#include "sdk_nested.h"
#include "sdk_summary.h"

static const struct json_doc *cut_doc(struct arena *a, struct str *rest)
{
	const struct json_doc *doc;
	err_t e = json_doc_parse(a, str_cut(rest, '\n'), &doc);

	return !e && json_doc_is(doc, JSON_KIND_OBJECT) ? doc : json_doc_empty();
}

static void check_config(struct arena *a, const struct json_doc *doc)
{
	struct left_out_list left_out = { .count = 0 };
	struct str text = sdk_config_dump(a, doc);
	const struct json_doc *again;

	FUZZ_CHECK(str_is_utf8(text));
	FUZZ_CHECK(json_doc_equal(sdk_config_unwrap(a, sdk_config_wrap(a, doc)), doc));
	FUZZ_CHECK(!sdk_config_read(a, text, &left_out, &again) && !left_out.total);
	doc = sdk_lists_close(a, sdk_lists_open(a, doc));
	FUZZ_CHECK(json_doc_equal(sdk_lists_close(a, sdk_lists_open(a, doc)), doc));
}

/* Every member of `part` is one of `whole`. */
static bool is_part(const struct json_doc *part, const struct json_doc *whole)
{
	if (!json_doc_is(part, JSON_KIND_OBJECT))
		return json_doc_equal(part, whole);
	for (size_t i = 0; i < part->count; i++) {
		const struct json_doc *of = json_doc_get(whole, part->members[i].name);

		if (!of || !is_part(part->members[i].value, of))
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct str rest = { size ? (const char *)data : "", size };
	struct sdk_summary_change change;
	struct sdk_summary_ask ask = { .derived = size % 2, .before_is_own = size % 4 < 2 };

	ask.sent = cut_doc(a, &rest);
	ask.before = cut_doc(a, &rest);
	ask.explicit_now = cut_doc(a, &rest);
	ask.last = ask.last_own = cut_doc(a, &rest);
	check_config(a, ask.sent);
	sdk_summary_judge(a, &ask, &change);
	FUZZ_CHECK(is_part(change.set, ask.sent) && is_part(change.logged, ask.sent));
	FUZZ_CHECK(is_part(change.gone, ask.before));
	(void)sdk_summary_waits(&ask);
	FUZZ_CHECK(is_part(sdk_summary_ahead(a, ask.last, ask.sent), ask.last));
	(void)json_doc_dump(a, sdk_nested(a, ask.sent, ask.before));
	(void)json_doc_dump(a, sdk_nested_flat(a, ask.sent, ask.before));
	(void)sdk_summary_deleted(a, &ask);
	arena_free(a);
	return 0;
}

#define DOTS ".a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"{\"lr\":1,\"opt\":{\"a\":[1,{\"b\":2}]},\"_wandb\":{\"t\":{}}}\n{\"lr\":{\"value\":1,\"desc\":null}}",
		"{\"loss\":1,\"_timestamp\":5,\"_runtime\":2,\"acc\":{\"max\":3}}\n{\"loss\":2,\"gone\":{\"x\":1}}\n"
		"{\"acc\":{\"max\":2}}\n{\"loss\":[4,1],\"acc.max\":[6,3]}",
		"{\"a\":{},\"b\":[],\"c\":[[]],\"d.e\":NaN}\n{\"d\":{\"e\":1}}\n{\"d.e\":2}",
		"{\"i._type\":\"t\",\"i.p\":1,\"i.s.w\":2,\"i.s.\":3,\"i..\":4,\"d.x\":5,\"d.x.y\":6}\n"
		"{\"d\":{\"x\":{\"y\":1}}}\n{}\n{\"i.p\":[4,1]}",
		"{\"x._type\":\"t\",\"x" DOTS DOTS DOTS DOTS "\":1,\"" DOTS
		"\":{\"x\":1}}\n{\"" DOTS "\":{\"x\":2}}",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
