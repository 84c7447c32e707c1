/* Documents of processes that are one writer: what goes and what stays when one of them sends its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "sdk_common.h"

static const struct {
	const char *what;
	const char *whole, *common, *sent;
	const char *becomes, *after; /* whole and common */
} cases[] = {
	{ "nothing", "{}", "{}", "{}", "{}", "{}" },
	{ "what it never sent stays", "{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"a\":1}",
	  "{\"a\":1,\"b\":2}", "{\"a\":1}" },
	{ "what is new comes", "{\"a\":1}", "{\"a\":1}", "{\"a\":1,\"c\":3}", "{\"a\":1,\"c\":3}",
	  "{\"a\":1}" },
	{ "what all had goes", "{\"a\":1,\"b\":2}", "{\"a\":1}", "{}", "{\"b\":2}", "{}" },
	{ "what it did not change stays as another one left it", "{\"a\":7}", "{\"a\":1}",
	  "{\"a\":1}", "{\"a\":7}", "{\"a\":1}" },
	{ "what it changed is its own", "{\"a\":7}", "{\"a\":1}", "{\"a\":2}", "{\"a\":2}",
	  "{\"a\":1}" },
	{ "by value", "{\"a\":7}", "{\"a\":1}", "{\"a\":1.0}", "{\"a\":7}", "{\"a\":1}" },
	{ "leaf by leaf", "{\"n\":{\"x\":1,\"y\":2}}", "{\"n\":{\"x\":1}}",
	  "{\"n\":{\"x\":1,\"z\":3}}", "{\"n\":{\"x\":1,\"y\":2,\"z\":3}}", "{\"n\":{\"x\":1}}" },
	{ "an object goes with its last leaf", "{\"n\":{\"x\":1}}", "{\"n\":{\"x\":1}}", "{}", "{}",
	  "{}" },
	{ "a leaf takes the place of an object", "{\"n\":{\"x\":1,\"y\":2}}", "{\"n\":{\"x\":1}}",
	  "{\"n\":5}", "{\"n\":5}", "{}" },
	{ "an object takes the place of a leaf", "{\"n\":5}", "{\"n\":5}", "{\"n\":{\"x\":1}}",
	  "{\"n\":{\"x\":1}}", "{}" },
	{ "an empty object is a value", "{\"n\":{},\"m\":1}", "{\"n\":{}}", "{\"n\":{\"x\":1}}",
	  "{\"m\":1,\"n\":{\"x\":1}}", "{}" },
	{ "null is a value", "{\"a\":null,\"b\":1}", "{\"a\":null}", "{\"a\":null}",
	  "{\"a\":null,\"b\":1}", "{\"a\":null}" },
	{ "names with dots are names", "{\"a.b\":1,\"a\":{\"b\":2}}", "{\"a.b\":1}", "{}",
	  "{\"a\":{\"b\":2}}", "{}" },
};

static const struct json_doc *read(struct arena *a, const char *text)
{
	const struct json_doc *doc;

	assert_null(json_doc_parse(a, str_of(text), &doc));
	return doc;
}

static void compare(struct arena *a, const char *what, const struct json_doc *found,
		    const char *wanted)
{
	if (!json_doc_equal(found, read(a, wanted)))
		fail_msg("%s: %.*s", what, STR_ARG(json_doc_dump(a, found)));
}

static void test_cases(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct json_doc *common = read(a, cases[i].common);
		const struct json_doc *sent = read(a, cases[i].sent);

		compare(a, cases[i].what,
			sdk_common_merge(a, read(a, cases[i].whole), common, sent),
			cases[i].becomes);
		compare(a, cases[i].what, sdk_common_after(a, common, sent), cases[i].after);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
