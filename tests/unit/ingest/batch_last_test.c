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
#include "row_axes.h"

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
	if (rows.row_count)
		row_axes_history(&rows, 7);
	return batch_last_values(a, &rows);
}

static void the_last_value_of_each_key(void **state)
{
	static const struct {
		const char *rows;
		const char *last;
	} cases[] = {
		{ "[{\"a\":1},{\"a\":2},{\"b\":3}]", "\"a\":[7,2],\"b\":[7,3]" },
		{ "[{\"a\":1,\"_timestamp\":2.5},{\"b\":1,\"_timestamp\":3},{\"b\":2}]",
		  "\"a\":[2.5,1],\"b\":[7,2]" },
		{ "[{\"a\":1},{\"a\":\"x\"}]", "\"a\":[7,\"x\"]" },
		{ "[{\"a\":\"x\"},{\"a\":1.5}]", "\"a\":[7,1.5]" },
		{ "[{\"a\":\"x\"},{\"b\":1},{\"a\":null}]", "\"a\":[7,null],\"b\":[7,1]" },
		{ "[{\"a\":NaN,\"b\":-Infinity}]", "\"a\":[7,\"NaN\"],\"b\":[7,\"-Infinity\"]" },
		{ "[{\"d\":{\"x\":1,\"y\":{\"z\":[1,{}]}}}]",
		  "\"d.x\":[7,1],\"d.y.z\":[7,[1,{}]]" },
		{ "[{\"a\":12345678901234567890},{\"b\":1}]",
		  "\"a\":[7,12345678901234567890],\"b\":[7,1]" },
		{ "[{\"a\":\"\\u0000\",\"b\":{}}]", "\"a\":[7,\"\u2400\"],\"b\":[7,{}]" },
		{ "[{\"_step\":7,\"a\":true}]", "\"a\":[7,true]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *last = last_of(a, cases[i].rows);

		last = json_doc_with(a, last, STR("_timestamp"), NULL);
		assert_string_equal(json_doc_dump(a, last).at,
				    arena_printf(a, "{%s}", cases[i].last));
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
