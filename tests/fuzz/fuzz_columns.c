/*
 * Any filter that is taken, asked of columns: what it finds, its opposite does not, and both together find all.
 * Behind the first NUL the bytes are a document, which is read or refused, and searched with the others.
 */
#include <string.h>

#include "columns_filter.h"
#include "fuzz.h"

static const char *const documents[] = {
	"{\"id\": \"r1\", \"state\": \"a\", \"tags\": [\"x\", \"y\"], \"config\": {\"a\": 1, \"b\": \"x\"}}",
	"{\"id\": \"r2\", \"state\": \"b\", \"tags\": [], \"config\": {\"a\": [1, [\"x\"]], \"a.b\": 0.5}}",
	"{\"id\": \"r3\", \"config\": {\"a\": [{\"b\": 1}, {\"b\": null}]}, \"summary\": {\"a\": {\"b\": {}}}}",
	"{\"id\": \"r4\", \"config\": {\"a\": 12345678901234567890}, \"summary\": {\"loss\": null}}",
};
enum { DOCUMENTS = sizeof(documents) / sizeof(documents[0]) };

static struct columns *columns_with(struct str more)
{
	struct columns *c = columns_new(8 << 20);
	struct columns_document doc = { DOCUMENTS + 1, 1, 0, false, more };

	if (!columns_put(c, &doc)) {
		columns_free(c);
		c = columns_new(8 << 20);
	}
	for (int64_t i = 0; i < DOCUMENTS; i++) {
		doc = (struct columns_document){ i, 1, 0, false, str_of(documents[i]) };
		FUZZ_CHECK(columns_put(c, &doc));
	}
	return c;
}

static struct bits rows_of(struct arena *a, struct columns *c, const struct filter_node *node,
			   struct match_results *verdicts)
{
	struct bits rows;

	do {
		match_results_begin(verdicts, c);
		rows = columns_filter(a, c, node, verdicts, columns_shown(a, c, true, false));
	} while (!match_results_are_known(verdicts) && !match_results_find(verdicts));
	return rows;
}

static void check_answer(struct arena *a, struct columns *c, const struct filter_node *node)
{
	struct filter_node opposite = { .op = FILTER_NOT };
	struct bits shown = columns_shown(a, c, true, false);
	struct match_results *verdicts;
	struct patterns *patterns;
	struct bits found;
	struct bits others;

	if (patterns_new(a, node, 0, &patterns))
		return;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	memcpy(&opposite.child, &node, sizeof(node)); /* nothing is written through it */
	verdicts = match_results_new(a, patterns, NULL);
	found = rows_of(a, c, node, verdicts);
	others = rows_of(a, c, &opposite, verdicts);
	if (patterns_error(patterns))
		return;
	FUZZ_CHECK(bits_count(found) + bits_count(others) == bits_count(shown));
	bits_or(found, others);
	FUZZ_CHECK(bits_count(found) == bits_count(shown));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	const char *text = arena_copy(a, data, size);
	size_t len = strnlen(text, size);
	struct str more = { text + len, size - len };
	const struct filter_node *node;

	if (more.len)
		more = (struct str){ more.at + 1, more.len - 1 };
	if (!filter_parse(a, (struct str){ text, len }, &node)) {
		struct columns *c = columns_with(str_is_utf8(more) ? more : STR("{}"));

		check_answer(a, c, node);
		columns_free(c);
	}
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"state:a config.a<0.5 (tags:x or has:summary.a) not name:/^r[12]$/i \"r1\"",
		"{\"$or\":[{\"config.a.b\":{\"$gte\":1}},{\"state\":{\"$in\":[\"a\",null,1,true]}}]}",
		"{\"config.a\":{\"$not\":{\"$regex\":\"x+\",\"$options\":\"i\"}},\"tags\":{\"$nin\":[\"x\"]}}",
		"config.\"a.b\":0.5,true,null created_at>2026-11-21 tags.x:true",
		"config.a:12345678901234567890 or config.a!=1e400",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
