/*
 * What is read as a document is the same when it is written and read again, as it was sent (made strict
 * JSON) or compact; merging and patching with itself change nothing; what is counted is what is there.
 */
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "fuzz.h"
#include "json_doc.h"

static const struct json_doc *read_again(struct arena *a, struct str text)
{
	const struct json_doc *doc = NULL;

	FUZZ_CHECK(!json_doc_parse(a, text, &doc));
	return doc;
}

static bool has_null(const struct json_doc *doc)
{
	for (size_t i = 0; doc->kind == JSON_KIND_OBJECT && i < doc->count; i++) {
		if (has_null(doc->members[i].value))
			return true;
	}
	return doc->kind == JSON_KIND_NULL;
}

static void check_text(struct arena *a, const struct json_doc *doc, struct str sent)
{
	struct str text = json_doc_dump(a, doc);
	struct buf *strict = buf_new(a);

	FUZZ_CHECK(str_is_utf8(text) && !str_has_control(text));
	FUZZ_CHECK(json_doc_equal(doc, read_again(a, text)));
	FUZZ_CHECK(str_equal(text, json_doc_dump(a, read_again(a, text))));
	json_scan_write_strict(strict, sent);
	FUZZ_CHECK(!memchr(strict->at, '\n', strict->len));
	FUZZ_CHECK(json_doc_equal(doc, read_again(a, buf_str(strict))));
	FUZZ_CHECK(str_equal(text, json_doc_dump(a, read_again(a, buf_str(strict)))));
}

static void check_rules(struct arena *a, const struct json_doc *doc)
{
	FUZZ_CHECK(json_doc_equal(doc, json_doc_merge(a, doc, doc)));
	FUZZ_CHECK(json_doc_equal(doc, json_doc_merge(a, json_doc_empty(), doc)));
	if (!has_null(doc)) {
		FUZZ_CHECK(json_doc_equal(doc, json_doc_patch(a, doc, doc)));
		FUZZ_CHECK(json_doc_equal(doc, json_doc_patch(a, NULL, doc)));
	}
	FUZZ_CHECK(json_doc_count(doc) <= JSON_DOC_MAX_VALUES);
	for (size_t i = 0; doc->kind == JSON_KIND_OBJECT && i < doc->count; i++) {
		const struct json_member *m = &doc->members[i];

		FUZZ_CHECK(json_doc_get(doc, m->name) == m->value);
		FUZZ_CHECK(!json_doc_get(json_doc_with(a, doc, m->name, NULL), m->name));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	struct str sent = { arena_copy(a, data, size), size };
	const struct json_doc *doc;

	if (!json_doc_parse(a, sent, &doc)) {
		check_text(a, doc, sent);
		check_rules(a, doc);
	}
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"{\"a\":1,\"b\":[NaN, -Infinity ,\"NaN\"],\"c\":{\"d\":null}}",
		" [ 1e400 , -0.0 , 12345678901234567890 , 1E-5 ]\n",
		"{\"\":{\"\\u0041\\ud83d\\ude00\\ud800\":\"\\\\\\\"\\n\"},\"\xc3\xbc\":true}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
		"\"a\\u0000b\"",
		"{\"a\":1,\"a\":2}",
		"Infinity",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
