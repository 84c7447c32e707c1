/* The SDK's config, unwrapped and wrapped again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "sdk_config.h"

static void a_config_is_unwrapped_and_wrapped(void **state)
{
	static const struct {
		const char *wire;
		const char *ours;
		const char *out; /* NULL: as it came */
	} cases[] = {
		{ "{}", "{}", NULL },
		{ "{\"lr\":{\"value\":0.1}}", "{\"lr\":0.1}", NULL },
		{ "{\"lr\":{\"desc\":null,\"value\":0.1}}", "{\"lr\":0.1}",
		  "{\"lr\":{\"value\":0.1}}" },
		{ "{\"lr\":{\"desc\":\"rate\",\"value\":null}}", "{\"lr\":null}",
		  "{\"lr\":{\"value\":null}}" },
		{ "{\"_wandb\":{\"value\":{\"m\":[],\"t\":{\"1\":[1]}}},\"a\":{\"value\":[]}}",
		  "{\"_wandb\":{\"m\":[],\"t\":{\"1\":[1]}},\"a\":[]}", NULL },
		/* what lies deeper is the value's own */
		{ "{\"a\":{\"value\":{\"value\":1}}}", "{\"a\":{\"value\":1}}", NULL },
		{ "{\"a\":{\"value\":{\"b\":{\"value\":1}}}}", "{\"a\":{\"b\":{\"value\":1}}}",
		  NULL },
		/* not wrapped */
		{ "{\"a\":1,\"b\":[{\"value\":1}],\"c\":\"value\"}",
		  "{\"a\":1,\"b\":[{\"value\":1}],\"c\":\"value\"}",
		  "{\"a\":{\"value\":1},\"b\":{\"value\":[{\"value\":1}]},\"c\":{\"value\":\"value\"}"
		  "}" },
		{ "{\"a\":{}}", "{\"a\":{}}", "{\"a\":{\"value\":{}}}" },
		{ "{\"a\":{\"desc\":1}}", "{\"a\":{\"desc\":1}}",
		  "{\"a\":{\"value\":{\"desc\":1}}}" },
		{ "{\"a\":{\"max\":2,\"value\":1}}", "{\"a\":{\"max\":2,\"value\":1}}",
		  "{\"a\":{\"value\":{\"max\":2,\"value\":1}}}" },
		/* numbers that JSON does not have */
		{ "{\"a\":{\"value\":[NaN,Infinity,-Infinity,\"nan\"]}}",
		  "{\"a\":[\"NaN\",\"Infinity\",\"-Infinity\",\"nan\"]}", NULL },
		{ "{\"NaN\":{\"value\":12345678901234567890}}", "{\"NaN\":12345678901234567890}",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *out = cases[i].out ? cases[i].out : cases[i].wire;
		struct arena *a = arena_new(4096);
		struct left_out_list left_out = { .count = 0 };
		const struct json_doc *config;

		assert_null(sdk_config_read(a, str_of(cases[i].wire), &left_out, &config));
		assert_string_equal(json_doc_dump(a, config).at, cases[i].ours);
		assert_string_equal(sdk_config_dump(a, config).at, out);
		assert_null(sdk_config_read(a, str_of(out), &left_out, &config));
		assert_string_equal(json_doc_dump(a, config).at, cases[i].ours);
		arena_free(a);
	}
}

static void what_is_no_object_is_refused(void **state)
{
	static const char *const cases[] = { "", "[]", "null", "1", "{\"a\":" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct left_out_list left_out = { .count = 0 };
		const struct json_doc *config = NULL;
		err_t e = sdk_config_read(a, str_of(cases[i]), &left_out, &config);

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_null(config);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_config_is_unwrapped_and_wrapped),
		cmocka_unit_test(what_is_no_object_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
