/* The row scanner, with SIMD and without, and the plain parser agree on every input: all refuse, or all read
 * the same. The cursor walks the same bytes too, and only must not fall. */
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "json_rows.h"
#include "json_scalar.h"
#include "json_scan.h"
#include "json_scan_slow.h"

typedef void scan_fn(struct json_scan *s, struct json_rows *rows);

static err_t scan_fast(struct arena *a, scan_fn *scan, struct str body, struct json_rows *rows)
{
	struct json_scan s;

	json_rows_init(rows, a, body.len);
	json_scan_begin(&s, a, body);
	scan(&s, rows);
	return json_scan_end(&s);
}

static void compare_columns(const struct json_column *x, const struct json_column *y)
{
	FUZZ_CHECK(str_equal(x->name, y->name));
	FUZZ_CHECK(str_equal(x->whole, y->whole));
	FUZZ_CHECK(x->number_count == y->number_count && x->text_count == y->text_count);
	for (uint32_t i = 0; i < x->number_count; i++) {
		FUZZ_CHECK(json_column_number_row(x, i) == json_column_number_row(y, i));
		FUZZ_CHECK(memcmp(&x->numbers[i], &y->numbers[i], sizeof(double)) == 0);
	}
	for (uint32_t i = 0; i < x->text_count; i++) {
		FUZZ_CHECK(json_column_text_row(x, i) == json_column_text_row(y, i));
		FUZZ_CHECK(str_equal(x->texts[i], y->texts[i]));
	}
}

static void compare_left_out(const struct left_out_list *x, const struct left_out_list *y)
{
	FUZZ_CHECK(x->total == y->total && x->count == y->count);
	for (size_t i = 0; i < x->count; i++) {
		FUZZ_CHECK(x->items[i].kind == y->items[i].kind);
		FUZZ_CHECK(x->items[i].reason == y->items[i].reason);
		FUZZ_CHECK(x->items[i].count == y->items[i].count);
		FUZZ_CHECK(str_equal(x->items[i].name, y->items[i].name));
		FUZZ_CHECK(str_equal(x->items[i].sample, y->items[i].sample));
	}
}

static void compare(struct arena *a, scan_fn *scan, struct str body)
{
	struct json_rows fast, slow;
	err_t fast_error = scan_fast(a, scan, body, &fast);
	err_t slow_error;

	json_rows_init(&slow, a, body.len);
	slow_error = json_scan_slow_rows(a, body, &slow);
	if (!fast_error != !slow_error)
		fprintf(stderr, "fast: %s\nslow: %s\n", fast_error ? fast_error->message : "fine",
			slow_error ? slow_error->message : "fine");
	FUZZ_CHECK(!fast_error == !slow_error);
	if (fast_error)
		return;
	FUZZ_CHECK(fast.row_count == slow.row_count && fast.cell_count == slow.cell_count);
	FUZZ_CHECK(fast.column_count == slow.column_count);
	for (uint32_t i = 0; i < fast.row_count; i++)
		FUZZ_CHECK(fast.steps[i] == slow.steps[i]);
	for (uint32_t i = 0; i < fast.column_count; i++)
		compare_columns(&fast.columns[i], &slow.columns[i]);
	compare_left_out(&fast.left_out, &slow.left_out);
}

static void walk_value(struct json_scan *s);

static void walk_members(struct json_scan *s)
{
	struct str key;

	json_scan_object(s);
	while (json_scan_key(s, &key))
		walk_value(s);
}

static void walk_value(struct json_scan *s)
{
	switch (json_scan_kind(s)) {
	case JSON_KIND_OBJECT:
		walk_members(s);
		break;
	case JSON_KIND_ARRAY:
		json_scan_array(s);
		while (json_scan_item(s))
			walk_value(s);
		break;
	case JSON_KIND_STRING:
		json_scan_text(s, 100);
		break;
	case JSON_KIND_NUMBER:
		json_scan_double(s);
		break;
	case JSON_KIND_BOOL:
		json_scan_bool(s);
		break;
	case JSON_KIND_NULL:
		if (!json_scan_null(s))
			json_scan_fail(s, "expected a value");
		break;
	default:
		json_scan_raw(s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	char *body = calloc(1, size + JSON_SCAN_PADDING);
	struct json_scan s;

	FUZZ_CHECK(body);
	if (size)
		memcpy(body, data, size);
	compare(a, json_scan_rows_body, (struct str){ body, size });
	compare(a, scalar_scan_rows_body, (struct str){ body, size });
	json_scan_begin(&s, a, (struct str){ body, size });
	walk_value(&s);
	if (!json_scan_end(&s))
		FUZZ_CHECK(s.at == s.end);
	arena_free(a);
	free(body);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"[{\"loss\":0.5,\"_step\":1},{\"loss\":0.25,\"eval\":{\"f\":NaN}}]",
		"{\"a\":1}\n{\"a\":2.5e-3,\"b\":-0}\n{\"_timestamp\":1763725574.1234567}\n",
		"[ { \"a\" : 1 , \"b\" : [ 1 , \"x\" , { \"c\" : null } ] , \"d\" : { } } ]",
		"{\"a\\u0062\\n\":\"\\ud83d\\ude00\\ud800\\\\\\\"\",\"big\":12345678901234567890123}",
		"{\"_step\":9007199254740993,\"x\":true,\"y\":false,\"z\":null}",
		"{\"_step\":5.0,\"inf\":Infinity,\"ninf\":-Infinity,\"a\":{\"b\":{\"c\":{\"d\":1}}}}",
		"[{\"key longer than sixteen bytes/really\":1e400,\"k\":1E+5,\"\xc3\xbc\":0.1}]",
		"[{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}]",
		"{\"a.b\":1,\"a\":{\"b\":2}}",
		"[]",
		"{\"\":1,\"a\":2,\"a\":{\"b\":3},\"a.b\":4,\"_step\":1,\"_step\":2}",
		"{\"\\u0000\":1,\"\\ud800\":2,\"\xe2\x90\x8a\":3,\"\x7f\":4,\"\\n\":5}{\"\\n\":6}",
		"{\"n\":0.30000001192092896,\"m\":9007199254740992,\"o\":-9007199254740993.5}",
		"{\"loss\":0.123456789012345,\"acc\":1}{\"loss\":-1.5e-7,\"acc\":2}{\"acc\":3,\"loss\":4}",
		"{\"_step\":1,\"a_name_of_20_bytes_/\":1}{\"_step\":2,\"a_name_of_20_bytes_/\":1234567890123456.25}",
		"[{\"a\\\\b\":1,\"c\":0.00012345678901234567},{\"a\\\\b\" : 2 ,\t\"c\":   3 }]",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
