/* The number of a metric with define_metric(summary=…), and the way back to the summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "json_rows.h"
#include "searched_summary.h"

static const struct json_doc *doc(struct arena *a, const char *text)
{
	const struct json_doc *read;

	assert_null(json_doc_parse(a, str_of(text), &read));
	return read;
}

static void make(struct arena *a, const char *config, const char *summary,
		 struct searched_summary *ret_made)
{
	struct sdk_made made;

	sdk_made_init(&made, a, doc(a, config));
	searched_summary_make(a, &made, doc(a, summary), ret_made);
}

#define LEAST "{\"_wandb\":{\"m\":[{\"1\":\"a\",\"7\":[1,2],\"8\":1}]}}"

static void a_metric_is_its_number(void **state)
{
	static const struct {
		const char *config;
		const char *summary;
		const char *searched;
		const char *whole;
	} cases[] = {
		{ "{}", "{\"a\":1,\"b\":{\"c\":2}}", "{\"a\":1,\"b\":{\"c\":2}}", "{}" },
		{ "{}", "{\"a\":{\"min\":1}}", "{\"a\":1,\"a.min\":1}", "{\"a\":{\"min\":1}}" },
		{ "{}", "{\"a\":{\"best\":1}}", "{\"a\":1,\"a.best\":1}", "{\"a\":{\"best\":1}}" },
		/* of several the first one of a fixed order */
		{ "{}", "{\"a\":{\"max\":2,\"min\":1}}", "{\"a\":2,\"a.max\":2,\"a.min\":1}",
		  "{\"a\":{\"max\":2,\"min\":1}}" },
		{ LEAST, "{\"a\":{\"max\":2,\"min\":1}}", "{\"a\":1,\"a.max\":2,\"a.min\":1}",
		  "{\"a\":{\"max\":2,\"min\":1}}" },
		{ LEAST, "{\"a\":{\"best\":3,\"min\":1}}", "{\"a\":3,\"a.best\":3,\"a.min\":1}",
		  "{\"a\":{\"best\":3,\"min\":1}}" },
		{ "{}", "{\"a\":{\"first\":1,\"last\":2,\"mean\":3}}",
		  "{\"a\":2,\"a.first\":1,\"a.last\":2,\"a.mean\":3}",
		  "{\"a\":{\"first\":1,\"last\":2,\"mean\":3}}" },
		/* of numbers only */
		{ "{}", "{\"a\":{\"min\":\"NaN\"}}", "{\"a\":\"NaN\",\"a.min\":\"NaN\"}",
		  "{\"a\":{\"min\":\"NaN\"}}" },
		{ "{}", "{\"a\":{\"min\":\"low\"}}", "{\"a\":{\"min\":\"low\"}}", "{}" },
		{ "{}", "{\"a\":{\"max\":{\"max\":1}}}", "{\"a\":{\"max\":1},\"a.max.max\":1}",
		  "{\"a\":{\"max\":{\"max\":1}}}" },
		{ "{}", "{\"a\":{\"min\":null}}", "{\"a\":{\"min\":null}}", "{}" },
		{ "{}", "{\"a\":{\"min\":1,\"step\":2}}", "{\"a\":{\"min\":1,\"step\":2}}", "{}" },
		{ "{}", "{\"a\":{}}", "{\"a\":{}}", "{}" },
		/* within objects */
		{ "{}", "{\"v\":{\"a\":{\"min\":1},\"b\":2}}",
		  "{\"v\":{\"a\":1,\"b\":2},\"v.a.min\":1}",
		  "{\"v\":{\"a\":{\"min\":1},\"b\":2}}" },
		{ "{}", "{\"a\":[{\"min\":1}]}", "{\"a\":[{\"min\":1}]}", "{}" },
		/* a key of its own has the name already */
		{ "{}", "{\"a\":{\"min\":1},\"a.min\":5}", "{\"a\":1,\"a.min\":5}",
		  "{\"a\":{\"min\":1},\"a.min\":5}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct searched_summary made;

		make(a, cases[i].config, cases[i].summary, &made);
		if (strcmp(json_doc_dump(a, made.searched).at, cases[i].searched) != 0 ||
		    strcmp(json_doc_dump(a, made.whole).at, cases[i].whole) != 0)
			fail_msg("case %zu: %s, %s", i, json_doc_dump(a, made.searched).at,
				 json_doc_dump(a, made.whole).at);
		assert_string_equal(json_doc_dump(a, searched_summary_restore(a, &made)).at,
				    cases[i].summary);
		arena_free(a);
	}
}

/* A name that has no room in a key is no metric. */
static void a_name_may_be_too_long(void **state)
{
	struct arena *a = arena_new(4096);
	char name[JSON_KEY_MAX_BYTES + 1];
	struct searched_summary made;
	const char *summary;

	(void)state;
	memset(name, 'x', JSON_KEY_MAX_BYTES);
	name[JSON_KEY_MAX_BYTES] = '\0';
	summary = arena_printf(a, "{\"%s\":{\"min\":1},\"a\":{\"%s\":{\"min\":1}}}", name, name);
	make(a, "{}", summary, &made);
	assert_string_equal(json_doc_dump(a, made.searched).at,
			    arena_printf(a, "{\"a\":{\"%s\":{\"min\":1}},\"%s\":1}", name, name));
	assert_true(json_doc_equal(searched_summary_restore(a, &made), doc(a, summary)));
	arena_free(a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_metric_is_its_number),
		cmocka_unit_test(a_name_may_be_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
