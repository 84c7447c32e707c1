/* The last values of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "batch_last.h"
#include "json_scan.h"

static const struct json_doc *last_of(struct arena *a, const char *body)
{
	size_t len = strlen(body);
	char *padded = arena_zalloc(a, len + JSON_SCAN_PADDING, 1);
	struct json_rows rows;
	struct json_scan scan;

	memcpy(padded, body, len);
	json_rows_init(&rows, a, len);
	json_scan_begin(&scan, a, (struct str){ padded, len });
	json_scan_rows_body(&scan, &rows);
	assert_null(json_scan_end(&scan));
	return batch_last_values(a, &rows);
}

static void the_last_value_of_each_key(void **state)
{
	static const struct {
		const char *rows;
		const char *last;
	} cases[] = {
		{ "[{\"a\":1},{\"a\":2},{\"b\":3}]", "{\"a\":2,\"b\":3}" },
		{ "[{\"a\":1},{\"a\":\"x\"}]", "{\"a\":\"x\"}" },
		{ "[{\"a\":\"x\"},{\"a\":1.5}]", "{\"a\":1.5}" },
		{ "[{\"a\":\"x\"},{\"b\":1},{\"a\":null}]", "{\"a\":null,\"b\":1}" },
		{ "[{\"a\":NaN,\"b\":-Infinity}]", "{\"a\":\"NaN\",\"b\":\"-Infinity\"}" },
		{ "[{\"d\":{\"x\":1,\"y\":{\"z\":[1,{}]}}}]", "{\"d.x\":1,\"d.y.z\":[1,{}]}" },
		{ "[{\"a\":12345678901234567890},{\"b\":1}]",
		  "{\"a\":12345678901234567890,\"b\":1}" },
		{ "[{\"a\":\"\\u0000\",\"b\":{}}]", "{\"b\":{}}" },
		{ "[{\"_step\":7,\"a\":true}]", "{\"a\":true}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);

		assert_string_equal(json_doc_dump(a, last_of(a, cases[i].rows)).at, cases[i].last);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_value_of_each_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
