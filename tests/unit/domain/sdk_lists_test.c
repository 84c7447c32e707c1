/* Lists of the SDK's config as what merges, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "sdk_lists.h"
#include "step_metric.h"

#define SDK(parts) "{\"_wandb\":{" parts "}}"
#define WIRE(parts) "{\"_wandb\":{\"value\":{" parts "}}}"

static const struct json_doc *doc(struct arena *a, const char *text)
{
	const struct json_doc *read;

	assert_null(json_doc_parse(a, str_of(text), &read));
	return read;
}

static void lists_are_opened_and_closed(void **state)
{
	static const struct {
		const char *sent;
		const char *opened; /* NULL: as it was sent */
		const char *closed; /* NULL: as it was sent */
	} cases[] = {
		{ "{}", NULL, NULL },
		{ "{\"_wandb\":1,\"m\":[{\"1\":\"a\"}],\"t\":{\"1\":[1]}}", NULL, NULL },
		{ SDK("\"m\":[{\"1\":\"a\",\"6\":[1,3]}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\",\"6\":[1,3]}]}"), NULL },
		{ WIRE("\"m\":[{\"1\":\"a\"}]"), WIRE("\"m\":{\"1:a\":[{\"1\":\"a\"}]}"), NULL },
		/* names before patterns, each in order; numbers follow their metric */
		{ SDK("\"m\":[{\"2\":\"v/*\"},{\"1\":\"b\",\"5\":4},{\"1\":\"a\"},{\"1\":\"c\"}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\"}],\"1:b\":[{\"1\":\"b\",\"5\":\"c\"}],"
		      "\"1:c\":[{\"1\":\"c\"}],\"2:v/*\":[{\"2\":\"v/*\"}]}"),
		  SDK("\"m\":[{\"1\":\"a\"},{\"1\":\"b\",\"5\":3},{\"1\":\"c\"},{\"2\":\"v/*\"}]") },
		{ SDK("\"m\":[{\"1\":\"a\",\"4\":\"b\"},{\"1\":\"b\"}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\",\"4\":\"b\"}],\"1:b\":[{\"1\":\"b\"}]}"),
		  NULL },
		/* a number of none is none */
		{ SDK("\"m\":[{\"1\":\"a\",\"5\":2}]"), SDK("\"m\":{\"1:a\":[{\"1\":\"a\"}]}"),
		  SDK("\"m\":[{\"1\":\"a\"}]") },
		{ SDK("\"m\":[{\"1\":\"a\",\"5\":0},{\"1\":\"b\",\"5\":\"1\"},{\"2\":\"*\"}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\"}],\"1:b\":[{\"1\":\"b\"}],"
		      "\"2:*\":[{\"2\":\"*\"}]}"),
		  SDK("\"m\":[{\"1\":\"a\"},{\"1\":\"b\"},{\"2\":\"*\"}]") },
		{ SDK("\"m\":[{\"1\":\"a\",\"5\":2},{\"2\":\"*\"}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\"}],\"2:*\":[{\"2\":\"*\"}]}"),
		  SDK("\"m\":[{\"1\":\"a\"},{\"2\":\"*\"}]") },
		/* of one name the last; a name and a pattern are two */
		{ SDK("\"m\":[{\"1\":\"a\",\"6\":[1]},{\"1\":\"a\"},{\"2\":\"a\"}]"),
		  SDK("\"m\":{\"1:a\":[{\"1\":\"a\"}],\"2:a\":[{\"2\":\"a\"}]}"),
		  SDK("\"m\":[{\"1\":\"a\"},{\"2\":\"a\"}]") },
		/* not of the form */
		{ SDK("\"m\":{}"), NULL, NULL },
		{ SDK("\"m\":{\"a\":[{\"1\":\"a\"}]}"), NULL, NULL },
		{ SDK("\"m\":{\"1:a\":[{\"1\":\"a\"},{\"1\":\"a\"}]}"), NULL, NULL },
		{ SDK("\"m\":[{}]"), NULL, NULL },
		{ SDK("\"m\":[{\"1\":\"\"}]"), NULL, NULL },
		{ SDK("\"m\":[{\"1\":\"a\"},1]"), NULL, NULL },
		{ SDK("\"m\":[{\"1\":\"a\",\"6\":[[1]]}]"), NULL, NULL },
		{ SDK("\"m\":[{\"1\":\"a\",\"6\":{}}]"), NULL, NULL },
		/* what is used */
		{ SDK("\"t\":{\"3\":[13,2,2,100],\"4\":\"3.11\",\"9\":{\"1\":\"x\"}}"),
		  SDK("\"t\":{\"3\":{\"#100\":100,\"#13\":13,\"#2\":2},\"4\":\"3.11\","
		      "\"9\":{\"1\":\"x\"}}"),
		  SDK("\"t\":{\"3\":[2,13,100],\"4\":\"3.11\",\"9\":{\"1\":\"x\"}}") },
		{ WIRE("\"t\":{\"1\":[1]}"), WIRE("\"t\":{\"1\":{\"#1\":1}}"), NULL },
		{ SDK("\"t\":{\"1\":[\"a\"],\"2\":[1,[2]],\"3\":[0.5]}"), NULL, NULL },
		{ SDK("\"t\":[1,2]"), NULL, NULL },
		{ SDK("\"t\":{\"1\":{\"#1\":\"x\"}}"), NULL, NULL },
		/* empty lists tell nothing */
		{ SDK("\"m\":[]"), "{}", "{}" },
		{ SDK("\"m\":null,\"t\":{\"1\":null}"), SDK("\"t\":{}"), SDK("\"t\":{}") },
		{ "{\"_wandb\":{\"m\":[]},\"lr\":1}", "{\"lr\":1}", "{\"lr\":1}" },
		{ WIRE("\"m\":[]"), "{}", "{}" },
		{ "{\"_wandb\":{\"value\":{\"m\":[],\"t\":{\"1\":[]}},\"x\":[]},\"m\":[]}",
		  "{\"_wandb\":{\"value\":{\"t\":{}},\"x\":[]},\"m\":[]}",
		  "{\"_wandb\":{\"value\":{\"t\":{}},\"x\":[]},\"m\":[]}" },
		{ "{\"_wandb\":{\"value\":[]}}", NULL, NULL },
		{ "{\"_wandb\":{}}", NULL, NULL },
		{ "{\"_wandb\":[]}", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *opened = cases[i].opened ? cases[i].opened : cases[i].sent;
		const char *closed = cases[i].closed ? cases[i].closed : cases[i].sent;
		struct arena *a = arena_new(4096);
		const struct json_doc *is = sdk_lists_open(a, doc(a, cases[i].sent));

		if (!str_is(json_doc_dump(a, is), opened))
			fail_msg("case %zu: %s", i, json_doc_dump(a, is).at);
		is = sdk_lists_close(a, is);
		if (!str_is(json_doc_dump(a, is), closed))
			fail_msg("case %zu: %s", i, json_doc_dump(a, is).at);
		arena_free(a);
	}
}

static void lists_of_two_writers_are_one(void **state)
{
	static const struct {
		const char *below;
		const char *above;
		const char *merged;
	} cases[] = {
		{ SDK("\"m\":[{\"1\":\"a\",\"5\":2},{\"1\":\"x\"}]"), SDK("\"m\":[]"),
		  SDK("\"m\":[{\"1\":\"a\",\"5\":2},{\"1\":\"x\"}]") },
		{ SDK("\"m\":[]"), SDK("\"m\":[{\"1\":\"a\",\"5\":2},{\"1\":\"x\"}]"),
		  SDK("\"m\":[{\"1\":\"a\",\"5\":2},{\"1\":\"x\"}]") },
		/* each has its own number 2 */
		{ SDK("\"m\":[{\"1\":\"loss\",\"5\":2},{\"1\":\"epoch\"}]"),
		  SDK("\"m\":[{\"1\":\"acc\",\"5\":2},{\"1\":\"batch\"}]"),
		  SDK("\"m\":[{\"1\":\"acc\",\"5\":2},{\"1\":\"batch\"},{\"1\":\"epoch\"},"
		      "{\"1\":\"loss\",\"5\":3}]") },
		/* of one name the last as a whole, nothing of the other in it */
		{ SDK("\"m\":[{\"1\":\"a\",\"5\":2,\"7\":[1]},{\"1\":\"x\"}]"),
		  SDK("\"m\":[{\"1\":\"a\",\"7\":[2]}]"),
		  SDK("\"m\":[{\"1\":\"a\",\"7\":[2]},{\"1\":\"x\"}]") },
		{ SDK("\"t\":{\"1\":[1,55],\"4\":\"3.11\"}"), SDK("\"t\":{\"1\":[2,55],\"2\":[1]}"),
		  SDK("\"t\":{\"1\":[1,2,55],\"2\":[1],\"4\":\"3.11\"}") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *below = sdk_lists_open(a, doc(a, cases[i].below));
		const struct json_doc *above = sdk_lists_open(a, doc(a, cases[i].above));
		const struct json_doc *is = sdk_lists_close(a, json_doc_merge(a, below, above));

		if (!str_is(json_doc_dump(a, is), cases[i].merged))
			fail_msg("case %zu: %s", i, json_doc_dump(a, is).at);
		arena_free(a);
	}
}

/* One that its owner does not send any more stays a name where another's metric needs it. */
static void a_step_metric_without_definition_stays_a_name(void **state)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *left =
		doc(a, SDK("\"m\":{\"1:a\":[{\"1\":\"a\",\"5\":\"epoch\",\"6\":[1]}]}"));
	const struct json_doc *is = sdk_lists_close(a, left);

	(void)state;
	assert_string_equal(json_doc_dump(a, is).at,
			    SDK("\"m\":[{\"1\":\"a\",\"4\":\"epoch\",\"6\":[1]}]"));
	assert_true(str_is(step_metric_of(is, STR("a")), "epoch"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_opened_and_closed),
		cmocka_unit_test(lists_of_two_writers_are_one),
		cmocka_unit_test(a_step_metric_without_definition_stays_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
