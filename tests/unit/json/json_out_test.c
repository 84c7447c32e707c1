#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "buf.h"
#include "json_out.h"

static void assert_text(struct buf *b, const char *expected)
{
	buf_add_byte(b, '\0');
	assert_string_equal(b->at, expected);
	buf_free(b);
}

static void puts_commas_where_they_belong(void **state)
{
	struct buf b = { 0 };
	struct json_out out = json_out_begin(&b);

	(void)state;
	json_out_object(&out);
	json_out_put_int(&out, "a", -1);
	json_out_key(&out, "b");
	json_out_array(&out);
	json_out_array(&out);
	json_out_array_end(&out);
	json_out_int(&out, INT64_MIN);
	json_out_object(&out);
	json_out_object_end(&out);
	json_out_null(&out);
	json_out_raw(&out, STR(""));
	json_out_sent(&out, STR(""));
	json_out_array_end(&out);
	json_out_put_bool(&out, "c", false);
	json_out_put_raw(&out, "d", STR("[1]"));
	json_out_put_text(&out, "e", (struct str){ NULL, 0 });
	json_out_put_time(&out, "f", (timestamp_us){ 0 });
	json_out_put_time(&out, "g", (timestamp_us){ 1500000 });
	json_out_object_end(&out);
	assert_text(
		&b,
		"{\"a\":-1,\"b\":[[],-9223372036854775808,{},null,null,null],\"c\":false,\"d\":[1],"
		"\"e\":null,\"f\":null,\"g\":\"1970-01-01T00:00:01.500000Z\"}");
}

static void writes_null_for_what_is_not_there(void **state)
{
	struct buf b = { 0 };
	struct json_out out = json_out_begin(&b);

	(void)state;
	json_out_object(&out);
	json_out_put_int_or_null(&out, "a", true, 0);
	json_out_put_int_or_null(&out, "b", false, 7);
	json_out_put_text_or_null(&out, "c", STR("x"));
	json_out_put_text_or_null(&out, "d", STR(""));
	json_out_put_finite(&out, "e", -1.5);
	json_out_put_finite(&out, "f", NAN);
	json_out_put_finite(&out, "g", -INFINITY);
	json_out_put_real(&out, "h", NAN);
	json_out_put_null(&out, "i");
	json_out_object_end(&out);
	assert_text(&b, "{\"a\":0,\"b\":null,\"c\":\"x\",\"d\":null,\"e\":-1.5,\"f\":null,"
			"\"g\":null,\"h\":\"NaN\",\"i\":null}");
}

static void writes_only_valid_text(void **state)
{
	static const struct {
		struct str in;
		const char *out;
	} cases[] = {
		{ { "", 0 }, "\"\"" },
		{ { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
		{ { "\n\r\t\b\f\x01\x1f\x7f", 8 }, "\"\\n\\r\\t\\b\\f\\u0001\\u001f\\u007f\"" },
		{ { "a\0b", 3 }, "\"a\\u0000b\"" },
		{ { "\xc3\xa9\xf0\x9f\x98\x80", 6 }, "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
		{ { "x\xff\xc3", 3 }, "\"x\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ { "\xed\xa0\x80", 3 }, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = { 0 };
		struct json_out out = json_out_begin(&b);

		json_out_text(&out, cases[i].in);
		assert_text(&b, cases[i].out);
	}
}

static void writes_numbers_that_are_json(void **state)
{
	struct buf b = { 0 };
	struct json_out out = json_out_begin(&b);

	(void)state;
	json_out_array(&out);
	json_out_real(&out, 0.1);
	json_out_real(&out, -3);
	json_out_real(&out, NAN);
	json_out_real(&out, INFINITY);
	json_out_real(&out, -INFINITY);
	json_out_array_end(&out);
	assert_text(&b, "[0.1,-3,\"NaN\",\"Infinity\",\"-Infinity\"]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_commas_where_they_belong),
		cmocka_unit_test(writes_null_for_what_is_not_there),
		cmocka_unit_test(writes_only_valid_text),
		cmocka_unit_test(writes_numbers_that_are_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
