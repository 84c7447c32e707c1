/* The summary of a run that is rewound: values under the names of metrics go, the rest stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "json_doc.h"
#include "rewound_summary.h"

static void assert_rewound(struct str *names, size_t count, const char *summary,
			   const char *expected)
{
	struct arena *a = arena_new(4096);
	const struct json_doc *doc;
	const struct json_doc *rest;
	struct leaves leaves;

	assert_null(json_doc_parse(a, str_of(summary), &doc));
	leaves_split(a, doc, LEAVES_ALONE, &leaves);
	rest = rewound_summary(a, &leaves, names, count);
	assert_string_equal(str_copy(a, json_doc_dump(a, rest)), expected);
	arena_free(a);
}

static void values_of_metrics_are_dropped(void **state)
{
	struct str names[] = { STR("loss"), STR("acc"), STR("val.f1"), STR("lr") };

	(void)state;
	assert_rewound(names, 4,
		       "{\"loss\":{\"min\":1,\"max\":2},\"acc\":3,\"note\":\"x\",\"val\":{\"f1\":"
		       "{\"mean\":4},\"f2\":5},\"losses\":6,\"los\":7}",
		       "{\"los\":7,\"losses\":6,\"note\":\"x\",\"val\":{\"f2\":5}}");
}

/* The name of a metric has dots where objects are within each other, in the summary or in the name. */
static void a_metric_with_dots_in_its_name_is_found(void **state)
{
	struct str names[] = { STR("a.b.c"), STR("d") };

	(void)state;
	assert_rewound(names, 2, "{\"a.b\":{\"c\":{\"last\":1},\"x\":2},\"a\":{\"b.c\":3,\"b\":4}}",
		       "{\"a\":{\"b\":4},\"a.b\":{\"x\":2}}");
}

static void without_metrics_all_stays(void **state)
{
	(void)state;
	assert_rewound(NULL, 0, "{\"loss\":{\"min\":1}}", "{\"loss\":{\"min\":1}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_metrics_are_dropped),
		cmocka_unit_test(a_metric_with_dots_in_its_name_is_found),
		cmocka_unit_test(without_metrics_all_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
