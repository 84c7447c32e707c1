/* What definitions of metrics make of the summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arena.h"
#include "sdk_made.h"

#define M(list) "{\"_wandb\":{\"m\":[" list "]}}"

static const struct json_doc *doc(struct arena *a, const char *text)
{
	const struct json_doc *read;

	assert_null(json_doc_parse(a, str_of(text), &read));
	return read;
}

/* 2, 5, 1, 3 */
static void a_definition_makes_a_member(void **state)
{
	static const struct {
		const char *config;
		const char *key;
		const char *value; /* NULL: none */
	} cases[] = {
		{ "{}", "a", "3" },
		{ M("{\"1\":\"a\"}"), "a", "3" },
		{ M("{\"1\":\"a\",\"7\":[]}"), "a", "3" },
		{ M("{\"1\":\"a\",\"7\":[1]}"), "a", "{\"min\":1}" },
		{ M("{\"1\":\"a\",\"7\":[2]}"), "a", "{\"max\":5}" },
		{ M("{\"1\":\"a\",\"7\":[3]}"), "a", "{\"mean\":2.75}" },
		{ M("{\"1\":\"a\",\"7\":[5]}"), "a", "{\"last\":3}" },
		{ M("{\"1\":\"a\",\"7\":[8]}"), "a", "{\"first\":2}" },
		{ M("{\"1\":\"a\",\"7\":[8,5,1,2,3]}"), "a",
		  "{\"first\":2,\"last\":3,\"max\":5,\"mean\":2.75,\"min\":1}" },
		{ M("{\"1\":\"a\",\"7\":[6]}"), "a", NULL },
		{ M("{\"1\":\"a\",\"7\":[6,2]}"), "a", NULL },
		/* the SDK itself makes nothing of these */
		{ M("{\"1\":\"a\",\"7\":[4],\"8\":1}"), "a", "3" },
		{ M("{\"1\":\"a\",\"7\":[7]}"), "a", "3" },
		/* not of the form */
		{ M("{\"1\":\"a\",\"7\":[0,-1,99,\"2\",null]}"), "a", "3" },
		{ M("{\"1\":\"a\",\"7\":2}"), "a", "3" },
		{ M("1,null,[],{}"), "a", "3" },
		/* whose it is */
		{ M("{\"1\":\"b\",\"7\":[1]}"), "a", "3" },
		{ M("{\"2\":\"v/*\",\"7\":[1]}"), "v/a", "{\"min\":1}" },
		{ M("{\"2\":\"v/*\",\"7\":[1]}"), "v", "3" },
		{ M("{\"2\":\"*\",\"7\":[6]}"), "v/a", NULL },
		{ M("{\"2\":\"*\",\"7\":[1]},{\"2\":\"v/*\",\"7\":[2]}"), "v/a", "{\"max\":5}" },
		{ M("{\"2\":\"v/*\",\"7\":[1]},{\"1\":\"v/a\"}"), "v/a", "3" },
		{ M("{\"2\":\"v\",\"7\":[1]}"), "v", "3" },
		{ "{\"_wandb\":{\"value\":{\"m\":[{\"1\":\"a\",\"7\":[2]}]}}}", "a",
		  "{\"max\":5}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct sdk_made_stat stat = {
			.last = doc(a, "3"), .numbers = 4, .first = 2, .min = 1, .max = 5, .sum = 11
		};
		const struct json_doc *value;
		struct sdk_made made;

		sdk_made_init(&made, a, doc(a, cases[i].config));
		value = sdk_made_value(a, &made, str_of(cases[i].key), &stat);
		if (!value != !cases[i].value)
			fail_msg("case %zu", i);
		if (value)
			assert_string_equal(json_doc_dump(a, value).at, cases[i].value);
		arena_free(a);
	}
}

static void values_that_are_no_numbers(void **state)
{
	struct arena *a = arena_new(4096);
	struct sdk_made_stat stat = { .last = doc(a, "\"x\""), .numbers = 0 };
	struct sdk_made made;

	(void)state;
	sdk_made_init(&made, a, doc(a, M("{\"1\":\"a\",\"7\":[1]},{\"1\":\"b\",\"7\":[5]}")));
	assert_string_equal(json_doc_dump(a, sdk_made_value(a, &made, STR("a"), &stat)).at,
			    "\"x\"");
	assert_string_equal(json_doc_dump(a, sdk_made_value(a, &made, STR("b"), &stat)).at,
			    "{\"last\":\"x\"}");
	stat.numbers = 1;
	stat.min = NAN;
	assert_string_equal(json_doc_dump(a, sdk_made_value(a, &made, STR("a"), &stat)).at,
			    "{\"min\":\"NaN\"}");
	arena_free(a);
}

static void what_is_set_lies_over_what_is_made(void **state)
{
	static const struct {
		const char *derived;
		const char *set;
		const char *merged;
	} cases[] = {
		{ "{}", "{}", "{}" },
		{ "{\"a\":1,\"b\":2}", "{\"a\":3,\"c\":4}", "{\"a\":3,\"b\":2,\"c\":4}" },
		{ "{\"a\":1}", "{\"a\":{\"max\":3}}", "{\"a\":{\"max\":3}}" },
		{ "{\"a\":{\"max\":5}}", "{\"a\":3}", "{\"a\":3}" },
		{ "{\"a\":{\"max\":5}}", "{\"a\":{\"max\":3,\"best\":1}}",
		  "{\"a\":{\"best\":1,\"max\":5}}" },
		{ "{\"a\":{\"max\":5}}", "{\"b\":{\"max\":3}}",
		  "{\"a\":{\"max\":5},\"b\":{\"max\":3}}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *is =
			sdk_made_merge(a, doc(a, cases[i].derived), doc(a, cases[i].set));

		assert_string_equal(json_doc_dump(a, is).at, cases[i].merged);
		arena_free(a);
	}
}

static void the_best_is_what_the_definition_says(void **state)
{
	static const struct {
		const char *config;
		enum sdk_goal goal;
	} cases[] = {
		{ "{}", SDK_GOAL_MAX },
		{ M("{\"1\":\"a\"}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"a\",\"7\":[4],\"8\":1}"), SDK_GOAL_MIN },
		{ M("{\"1\":\"a\",\"7\":[4],\"8\":2}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"a\",\"7\":[1]}"), SDK_GOAL_MIN },
		{ M("{\"1\":\"a\",\"7\":[2]}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"a\",\"7\":[1,2]}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"a\",\"7\":[1],\"8\":2}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"a\",\"7\":[1],\"8\":9}"), SDK_GOAL_MIN },
		{ M("{\"1\":\"a\",\"8\":\"1\"}"), SDK_GOAL_MAX },
		{ M("{\"1\":\"b\",\"8\":1}"), SDK_GOAL_MAX },
		{ M("{\"2\":\"*\",\"8\":1}"), SDK_GOAL_MIN },
		{ M("{\"2\":\"*\",\"8\":1},{\"1\":\"a\"}"), SDK_GOAL_MAX },
	};
	struct arena *a = arena_new(1 << 12);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sdk_made made;

		sdk_made_init(&made, a, doc(a, cases[i].config));
		assert_int_equal(sdk_made_goal(&made, STR("a")), cases[i].goal);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_definition_makes_a_member),
		cmocka_unit_test(values_that_are_no_numbers),
		cmocka_unit_test(what_is_set_lies_over_what_is_made),
		cmocka_unit_test(the_best_is_what_the_definition_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
