/*
 * Documents: what was read comes back the same when it is written and read again, whatever the text, and
 * a document merged into itself is itself.
 */
#include "arena.h"
#include "fuzz.h"
#include "json_doc.h"

static void check(struct arena *a, const struct json_doc *doc)
{
	struct str text = json_doc_dump(a, doc);
	const struct json_doc *again;

	FUZZ_CHECK(json_doc_count(doc) <= JSON_DOC_MAX_VALUES);
	FUZZ_CHECK(str_is_utf8(text));
	FUZZ_CHECK(!json_doc_parse(a, text, &again));
	FUZZ_CHECK(json_doc_equal(doc, again));
	FUZZ_CHECK(str_equal(json_doc_dump(a, again), text));
	FUZZ_CHECK(json_doc_equal(json_doc_merge(a, doc, again), doc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *doc;

	if (!json_doc_parse(a, (struct str){ size ? (const char *)data : "", size }, &doc))
		check(a, doc);
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"{}",
		"{\"lr\":1e-3,\"layers\":[64,64,{\"kind\":\"relu\"}],\"on\":true,\"off\":null}",
		"{\"b\":1,\"a\":{\"d\":[],\"c\":{\"e\":\"\\u00fc\\ud83d\\ude00\"}}}",
		" [ NaN , -Infinity , 12345678901234567890123 , -0.0 , 1E+5 ] ",
		"{\"a\\u0062\":\"\\ud800x\",\"ab\":2}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
		"\"text\"",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
