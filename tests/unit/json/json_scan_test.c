/* The cursor, and rows of metrics as columns: read by the scanner, with SIMD and without, and the plain one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "json_number.h"
#include "json_rows.h"
#include "json_rows_index.h"
#include "json_scalar.h"
#include "json_scan.h"
#include "json_scan_slow.h"
#include "memory.h"

static struct str padded(struct arena *a, struct str text)
{
	char *copy = arena_zalloc(a, text.len + JSON_SCAN_PADDING, 1);

	memcpy(copy, text.at, text.len);
	return (struct str){ copy, text.len };
}

/* loss=0:0.5,1:NaN tag=0:"x" | 1 - !row-full:k:2*1 : columns with row:value, the steps, what is left out. */
static const char *picture(struct arena *a, const struct json_rows *rows)
{
	struct buf *out = buf_new(a);

	for (uint32_t i = 0; i < rows->column_count; i++) {
		const struct json_column *c = &rows->columns[i];

		if (!c->number_count && !c->text_count)
			continue;
		buf_add_str(out, c->name);
		for (uint32_t j = 0; j < c->number_count; j++) {
			char text[JSON_NUMBER_TEXT_SIZE];
			int len = (int)json_number_write(c->numbers[j], text);

			buf_printf(out, "%c%u:%.*s", j ? ',' : '=', json_column_number_row(c, j),
				   len, text);
		}
		for (uint32_t j = 0; j < c->text_count; j++)
			buf_printf(out, "%c%u:%.*s", j ? ',' : '~', json_column_text_row(c, j),
				   STR_ARG(c->texts[j]));
		buf_add_byte(out, ' ');
	}
	buf_add_byte(out, '|');
	for (uint32_t i = 0; i < rows->row_count; i++) {
		if (rows->steps[i] == JSON_STEP_NONE)
			buf_add_text(out, " -");
		else
			buf_printf(out, " %lld", (long long)rows->steps[i]);
	}
	for (size_t i = 0; i < rows->left_out.count; i++) {
		const struct left_out *item = &rows->left_out.items[i];

		buf_printf(out, " !%s:%.*s:%.*s*%lld", left_out_reason_code(item->reason),
			   STR_ARG(item->name), STR_ARG(item->sample), (long long)item->count);
	}
	buf_add_byte(out, '\0');
	return out->at;
}

static err_t scan_fast(struct arena *a, struct str body, struct json_rows *rows)
{
	struct json_scan s;

	json_rows_init(rows, a, body.len);
	json_scan_begin(&s, a, body);
	json_scan_rows_body(&s, rows);
	return json_scan_end(&s);
}

static err_t scan_scalar(struct arena *a, struct str body, struct json_rows *rows)
{
	struct json_scan s;

	json_rows_init(rows, a, body.len);
	json_scan_begin(&s, a, body);
	scalar_scan_rows_body(&s, rows);
	return json_scan_end(&s);
}

static err_t scan_slow(struct arena *a, struct str body, struct json_rows *rows)
{
	json_rows_init(rows, a, body.len);
	return json_scan_slow_rows(a, body, rows);
}

static const struct {
	const char *body;
	const char *picture;
} good_rows[] = {
	{ "[]", "|" },
	{ "[{}]", "| -" },
	{ "{\"a\":1}", "a=0:1 | -" },
	{ "[{\"loss\":0.5,\"_step\":1},{\"loss\":0.25,\"eval\":{\"f\":NaN}}]",
	  "loss=0:0.5,1:0.25 eval.f=1:NaN | 1 -" },
	{ "{\"a\":1}\n{\"a\":2}\n", "a=0:1,1:2 | - -" },
	{ "{\"a\":1} {\"b\":2}{\"a\":3}", "a=0:1,2:3 b=1:2 | - - -" },
	{ " [ { \"a\" : 1 , \"b\" : -2.5e3 } , { } ] ", "a=0:1 b=0:-2500 | - -" },
	{ "{\"a\":Infinity,\"b\":-Infinity,\"c\":NaN}", "a=0:Infinity b=0:-Infinity c=0:NaN | -" },
	{ "{\"a\":-0,\"b\":-0.0}", "a=0:-0 b=0:-0 | -" },
	{ "{\"a\":9007199254740993}", "a=0:9007199254740992~0:9007199254740993 | -" },
	{ "{\"a\":-123456789012345678901}",
	  "a=0:-1.2345678901234568e20~0:-123456789012345678901 | -" },
	{ "{\"a\":true,\"b\":null,\"c\":\"x\\ty\",\"d\":[1, {\"e\":NaN}],\"f\":{},\"g\":{ }}",
	  "a~0:true b~0:null c~0:\"x\\ty\" d~0:[1, {\"e\":NaN}] f~0:{} g~0:{ } | -" },
	{ "{\"a\":{\"b\":{\"c\":1,\"d\":\"x\"},\"e\":2},\"f\":3}",
	  "a.b.c=0:1 a.b.d~0:\"x\" a.e=0:2 f=0:3 | -" },
	{ "{\"a\":1}{\"a\":\"one\"}", "a=0:1~1:\"one\" | - -" },
	{ "{\"a\\u0062\":1}{\"ab\":2}", "ab=0:1,1:2 | - -" },
	{ "{\"\\ud83d\\ude00\":1}", "\xf0\x9f\x98\x80=0:1 | -" },
	{ "{\"a\":{\"\\u0062\":1}}", "a.b=0:1 | -" },
	{ "{\"_step\":0}{\"_step\":9007199254740992}{\"_step\":5.0}{\"_step\":2e2}",
	  "| 0 9007199254740992 5 200" },
	{ "{\"_step\":9007199254740993}", "_step=0:9007199254740992~0:9007199254740993 | -" },
	{ "{\"_step\":-1}{\"_step\":1.5}{\"_step\":\"x\"}{\"_step\":NaN}{\"_step\":-0}",
	  "_step=0:-1,1:1.5,3:NaN,4:-0~2:\"x\" | - - - - -" },
	{ "{\"_step\":{\"a\":1},\"b\":{\"_step\":3}}", "_step.a=0:1 b._step=0:3 | -" },
	{ "{\"_timestamp\":1763725574.25}", "_timestamp=0:1763725574.25 | -" },
	{ "{\"a\":1e400,\"b\":-1e400}", "a=0:Infinity b=0:-Infinity | -" },
	{ "{\"a key longer than sixteen bytes\":1}{\"a key longer than sixteen bytez\":2}",
	  "a key longer than sixteen bytes=0:1 a key longer than sixteen bytez=1:2 | - -" },
	{ "{\"a\":\"\\ud800\"}", "a~0:\"\\ud800\" | -" },
	{ "{\"loss\":1,\"acc\":2}{\"loss\":3,\"acc\":4}{\"acc\":5,\"loss\":6}{\"loss\":7}",
	  "loss=0:1,1:3,2:6,3:7 acc=0:2,1:4,2:5 | - - - -" },
	{ "{\"a\\\\b\":1,\"a\":{\"b\":2}}{\"a\\\\b\":3,\"a.b\":4}",
	  "a\\b=0:1,1:3 a.b=0:2,1:4 | - -" },
	{ "{\"loss\":0.00014999999999999999,\"_step\":1}{\"loss\":-12345.678e-3,\"_step\":-0}",
	  "loss=0:0.00015,1:-12.345678 _step=1:-0 | 1 -" },
	{ "{\"a\":1,\"b\":2}{\"a\":12345678901234567,\"b\":9007199254740993}{\"a\":0.1,\"b\":1e5}",
	  "a=0:1,1:12345678901234568,2:0.1~1:12345678901234567 "
	  "b=0:2,1:9007199254740992,2:100000~1:9007199254740993 | - - -" },
	/* what cannot be kept costs only itself */
	{ "[{\"a\":1},{\"b\":1,\"b\":2,\"c\":3}]", "a=0:1 b=1:1 c=1:3 | - - !name-repeated:b:2*1" },
	{ "{\"a\":{\"b\":1},\"a.b\":[2]}", "a.b=0:1 | - !name-repeated:a.b:[2]*1" },
	{ "{\"a\":1,\"a\":\"x\",\"a\":2}", "a=0:1 | - !name-repeated:a:\"x\"*2" },
	{ "{\"_step\":1,\"_step\":2,\"a\":3}", "a=0:3 | 1 !name-repeated:_step:2*1" },
	{ "{\"_step\":1,\"_step\":\"x\"}", "| 1 !name-repeated:_step:\"x\"*1" },
	{ "{\"\":1,\"a\":2}{\"\":[]}", "a=0:2 | - - !name-empty::1*2" },
	{ "{\"key\":1,\"b\":2}{\"key\":1,\"b\":2,\"key\":3}",
	  "key=0:1,1:1 b=0:2,1:2 | - - !name-repeated:key:3*1" },
	{ "{\"key\":1,\"_step\":2}{\"_step\":3,\"key\":1,\"_step\":2}",
	  "key=0:1,1:1 | 2 3 !name-repeated:_step:2*1" },
	{ "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],\"b\":2}",
	  "b=0:2 | - !value-too-deep:a:[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]*1" },
	/* names in another form */
	{ "{\"a\\nb\":1}{\"a\\nb\":2,\"c\":3}", "a␊b=0:1,1:2 c=1:3 | - -" },
	{ "{\"a\x7f\":1,\"\\u0000\":2}", "a␡=0:1 ␀=0:2 | -" },
	{ "{\"a\":{\"\\t\":{\"b\":1}}}{\"a.\\t.b\":2}", "a.␉.b=0:1,1:2 | - -" },
	{ "{\"a\\ud800\":1,\"a\\udc00\\n\":2}", "a‛ED‛A0‛80=0:1 a‛ED‛B0‛80␊=0:2 | -" },
	{ "{\"a␊\":1,\"a\\n\":2}", "a‛␊=0:1 a␊=0:2 | -" },
	{ "{\"a\\\\b\":1,\"c\":1}{\"a\\b\":1,\"c\":1}", "a\\b=0:1 c=0:1,1:1 a␈=1:1 | - -" },
	{ "{\"a\":1 ,\t\"b\" : 2}{ \"a\"\n:\r3, \"b\"  :  4 }", "a=0:1,1:3 b=0:2,1:4 | - -" },
};

static void rows_become_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good_rows) / sizeof(good_rows[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str body = padded(a, str_of(good_rows[i].body));
		struct json_rows rows;
		err_t e = scan_fast(a, body, &rows);

		if (e)
			fail_msg("%s: %s", good_rows[i].body, e->message);
		assert_string_equal(picture(a, &rows), good_rows[i].picture);
		assert_null(scan_scalar(a, body, &rows));
		assert_string_equal(picture(a, &rows), good_rows[i].picture);
		assert_null(scan_slow(a, body, &rows));
		assert_string_equal(picture(a, &rows), good_rows[i].picture);
		arena_free(a);
	}
}

static const struct {
	const char *body;
	const char *field;   /* NULL: none */
	const char *message; /* how it begins */
} bad_rows[] = {
	{ "", NULL, "expected a row" },
	{ "[", NULL, "expected" },
	{ "[{\"a\":1}", "[0]", "expected a comma" },
	{ "[{\"a\":1},]", "[1]", "expected a row" },
	{ "[1]", "[0]", "expected a row" },
	{ "{\"a\":1,}", "[0]", "expected a quoted key" },
	{ "{\"a\":1}x", "[1]", "expected a row" },
	{ "[{\"a\":1}]x", NULL, "unexpected data after the end of the JSON text" },
	{ "{\"a\xff\":1}", NULL, "the body is not UTF-8" },
	{ "{\"a\":01}", "[0].a", "expected a comma" },
	{ "{\"a\":1.}", "[0].a", "expected a value" },
	{ "{\"a\":+1}", "[0].a", "expected a value" },
	{ "{\"a\":nan}", "[0].a", "expected a value" },
	{ "{\"a\":-NaN}", "[0].a", "expected a value" },
	{ "{\"a\":tru}", "[0].a", "expected a value" },
	{ "{\"a\":\"x}", "[0].a", "unexpected end of the body" },
	{ "{\"a\":\"\\x\"}", "[0].a", "invalid escape" },
	{ "{\"a\":\"\n\"}", "[0].a", "a string is not terminated or contains a control character" },
	{ "{\"a\":[1,]}", "[0].a", "expected a value" },
	{ "{\"a\":[1 2]}", "[0].a", "expected a comma" },
	{ "{\"a\" 1}", "[0].a", "expected a colon" },
	{ "{\"key\":1,\"b\":2}{\"key\":1,\"b\":2,}", "[1]", "expected a quoted key" },
	{ "{\"key\":1,\"b\":2}{\"key\":1 \"b\":2}", "[1].key", "expected a comma" },
	{ "{\"key\":1,\"b\":2}{\"key\":01,\"b\":2}", "[1].key", "expected a comma" },
	{ "{\"key\":1,\"b\":2}{\"key\":1,\"b\":2.}", "[1].b", "expected a value" },
	{ "{\"key\":1,\"b\":2}{\"key\":1,\"b\":2e}", "[1].b", "expected a value" },
	{ "{\"key\":1,\"b\":2}{\"key\":1,\"b\"2}", "[1].b", "expected a colon" },
	{ "{a:1}", "[0]", "expected a quoted key" },
};

static void must_refuse(err_t e, size_t i)
{
	if (!e)
		fail_msg("%s was accepted", bad_rows[i].body);
	if (!str_starts(str_of(e->message), bad_rows[i].message))
		fail_msg("%s: %s", bad_rows[i].body, e->message);
	if (bad_rows[i].field && !e->field)
		fail_msg("%s: no field in %s", bad_rows[i].body, e->message);
	if (bad_rows[i].field)
		assert_string_equal(e->field, bad_rows[i].field);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(bad_rows[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str body = padded(a, str_of(bad_rows[i].body));
		struct json_rows rows;

		must_refuse(scan_fast(a, body, &rows), i);
		must_refuse(scan_scalar(a, body, &rows), i);
		assert_non_null(scan_slow(a, body, &rows));
		arena_free(a);
	}
}

/* A row around `key`, or with `count` keys, or a value nested or long: just within, just beyond. */
static struct str limit_body(struct arena *a, int kind, size_t count)
{
	struct buf *b = buf_new(a);

	switch (kind) {
	case 0: /* a key of so many bytes */
		buf_add_text(b, "{\"");
		for (size_t i = 0; i < count; i++)
			buf_add_byte(b, 'k');
		buf_add_text(b, "\":1}");
		break;
	case 1: /* so many keys in a row */
		for (size_t i = 0; i < count; i++)
			buf_printf(b, "%c\"k%zu\":1", i ? ',' : '{', i);
		buf_add_byte(b, '}');
		break;
	case 2: /* so many rows */
		for (size_t i = 0; i < count; i++)
			buf_add_text(b, "{}\n");
		break;
	case 3: /* an array so deep, in a row in an array */
		buf_add_text(b, "[{\"a\":");
		for (size_t i = 2; i < count; i++)
			buf_add_byte(b, '[');
		for (size_t i = 2; i < count; i++)
			buf_add_byte(b, ']');
		buf_add_text(b, "}]");
		break;
	case 4: /* objects so deep */
		buf_add_byte(b, '[');
		for (size_t i = 1; i < count; i++)
			buf_add_text(b, "{\"a\":");
		buf_add_byte(b, '1');
		for (size_t i = 1; i < count; i++)
			buf_add_byte(b, '}');
		buf_add_byte(b, ']');
		break;
	case 5: /* a string of so many bytes, quotes counted */
		buf_add_text(b, "{\"a\":\"");
		for (size_t i = 2; i < count; i++)
			buf_add_byte(b, 'x');
		buf_add_text(b, "\"}");
		break;
	default: /* a flattened key of so many bytes */
		buf_add_text(b, "{\"abc\":{\"");
		for (size_t i = 4; i < count; i++)
			buf_add_byte(b, 'k');
		buf_add_text(b, "\":1}}");
	}
	return padded(a, buf_str(b));
}

typedef err_t scan_fn(struct arena *a, struct str body, struct json_rows *rows);

static const struct {
	const char *name;
	scan_fn *scan;
} scanners[] = { { "fast", scan_fast }, { "scalar", scan_scalar }, { "slow", scan_slow } };
enum { SCANNERS = sizeof(scanners) / sizeof(scanners[0]) };

/* Beyond a limit of a member that one is left out; beyond the limit of rows all is refused. */
static void limits_hold_on_both_sides(void **state)
{
	static const struct {
		size_t limit;
		const char *reason; /* NULL: refused */
	} limits[] = {
		{ JSON_NAME_MAX_BYTES, "name-too-long" },
		{ JSON_ROW_MAX_KEYS, "row-full" },
		{ JSON_ROWS_MAX, NULL },
		{ JSON_SCAN_MAX_DEPTH, "value-too-deep" },
		{ JSON_SCAN_MAX_DEPTH, "value-too-deep" },
		{ JSON_VALUE_MAX_BYTES - 6, NULL }, /* with its key: all of the longest row */
		{ JSON_NAME_MAX_BYTES, "name-too-long" },
	};

	(void)state;
	for (int kind = 0; kind < (int)(sizeof(limits) / sizeof(limits[0])); kind++) {
		for (size_t i = 0; i < 2 * SCANNERS; i++) {
			size_t beyond = i % 2;
			struct arena *a = arena_new(1 << 16);
			struct str body = limit_body(a, kind, limits[kind].limit + beyond);
			struct json_rows rows;
			err_t e = scanners[i / 2].scan(a, body, &rows);
			const char *reason = limits[kind].reason;

			if (!e != !(beyond && !reason))
				fail_msg("limit %d, %zu beyond, %s", kind, beyond,
					 scanners[i / 2].name);
			if (!e && rows.left_out.count != beyond)
				fail_msg("limit %d, %zu left out, %s", kind, rows.left_out.count,
					 scanners[i / 2].name);
			if (!e && beyond)
				assert_string_equal(
					left_out_reason_code(rows.left_out.items[0].reason),
					reason);
			arena_free(a);
		}
	}
}

/* The row around it is none the longer for it. */
static void a_value_that_is_too_large_is_left_out(void **state)
{
	(void)state;
	for (int i = 0; i < SCANNERS; i++) {
		struct arena *a = arena_new(1 << 16);
		struct json_rows rows;

		assert_null(scanners[i].scan(a, limit_body(a, 5, JSON_VALUE_MAX_BYTES + 1), &rows));
		assert_int_equal(rows.row_count, 1);
		assert_int_equal(rows.column_count, 0);
		assert_int_equal(rows.left_out.count, 1);
		assert_int_equal(rows.left_out.items[0].reason, LEFT_OUT_VALUE_TOO_LARGE);
		arena_free(a);
	}
}

/* Names of clients' own come last, and have room of their own. */
static void a_full_row_has_its_time(void **state)
{
	(void)state;
	for (int i = 0; i < SCANNERS; i++) {
		struct arena *a = arena_new(1 << 16);
		struct buf *b = buf_new(a);
		struct json_rows rows;

		for (int j = 0; j < JSON_ROW_MAX_KEYS + 2; j++)
			buf_printf(b, "%c\"k%d\":1", j ? ',' : '{', j);
		for (int j = 0; j < JSON_ROW_OWN_KEYS + 1; j++)
			buf_printf(b, ",\"_%d\":1", j);
		buf_add_text(b, ",\"k0\":1}{\"k10000\":2}");
		assert_null(scanners[i].scan(a, padded(a, buf_str(b)), &rows));
		assert_int_equal(rows.column_count, JSON_ROW_MAX_KEYS + JSON_ROW_OWN_KEYS + 1);
		assert_int_equal(rows.cell_count, JSON_ROW_MAX_KEYS + JSON_ROW_OWN_KEYS + 1);
		assert_int_equal(rows.left_out.total, 4);
		assert_true(str_is(rows.left_out.items[0].name, "k10000"));
		assert_true(str_is(rows.left_out.items[2].name, "_16"));
		arena_free(a);
	}
}

static void long_names_are_shortened(void **state)
{
	(void)state;
	for (int i = 0; i < SCANNERS; i++) {
		struct arena *a = arena_new(1 << 16);
		struct str body = limit_body(a, 0, JSON_KEY_MAX_BYTES + 1);
		struct json_rows rows;

		assert_null(scanners[i].scan(a, body, &rows));
		assert_int_equal(rows.column_count, 1);
		assert_int_equal(rows.columns[0].name.len, JSON_KEY_MAX_BYTES);
		assert_int_equal(rows.columns[0].whole.len, JSON_KEY_MAX_BYTES + 1);
		assert_int_equal(rows.left_out.total, 0);
		body = limit_body(a, 0, JSON_KEY_MAX_BYTES);
		assert_null(scanners[i].scan(a, body, &rows));
		assert_int_equal(rows.columns[0].whole.len, 0);
		arena_free(a);
	}
}

/* A flattened name is put together in a buffer: only its beginning is kept for the report. */
static void flattened_names_of_any_length_are_left_out(void **state)
{
	(void)state;
	for (int i = 0; i < SCANNERS; i++) {
		struct arena *a = arena_new(1 << 16);
		const char *body = arena_printf(a, "{\"%0*d\":{\"%0*d\":1,\"b\":2}}",
						JSON_NAME_MAX_BYTES - 2, 0, 2 * JSON_NAME_MAX_BYTES,
						0);
		struct json_rows rows;

		assert_null(scanners[i].scan(a, padded(a, str_of(body)), &rows));
		assert_int_equal(rows.column_count, 1);
		assert_int_equal(rows.columns[0].whole.len, JSON_NAME_MAX_BYTES);
		assert_int_equal(rows.left_out.count, 1);
		assert_int_equal(rows.left_out.items[0].reason, LEFT_OUT_NAME_TOO_LONG);
		arena_free(a);
	}
}

/* The length of its text decides; its bytes are not read. */
static void a_value_is_too_long_beyond_its_limit(void **state)
{
	struct arena *a = arena_new(1 << 16);
	const char *name = padded(a, STR("a")).at;
	struct json_rows rows;
	uint32_t column;

	(void)state;
	json_rows_init(&rows, a, 100);
	for (size_t beyond = 0; beyond < 2; beyond++) {
		const struct str value = { "", JSON_VALUE_MAX_BYTES + beyond };

		assert_int_equal(json_rows_begin_row(&rows), JSON_ROWS_OK);
		assert_int_equal(json_rows_column(&rows, (struct str){ name, 1 }, JSON_NAME_PASSES,
						  &column),
				 JSON_ROWS_OK);
		assert_int_equal(json_rows_add_text(&rows, column, value),
				 beyond ? JSON_ROWS_VALUE_TOO_LONG : JSON_ROWS_OK);
	}
	arena_free(a);
}

/* The number and the digits of a big integer are one value. */
static void a_column_that_is_left_out_is_counted_by_its_values(void **state)
{
	static const struct {
		const char *column;
		const char *picture;
	} cases[] = {
		{ "a", "b=0:5 c~1:\"x\" d~1:true | - - - !project-full:a:1*2" },
		{ "b", "a=0:1,2:2 c~1:\"x\" d~1:true | - - - !project-full:b:5*1" },
		{ "c", "a=0:1,2:2 b=0:5 d~1:true | - - - !project-full:c:\"x\"*1" },
		{ "d", "a=0:1,2:2 b=0:5 c~1:\"x\" | - - - !project-full:d:true*1" },
	};
	const char *body = "{\"a\":1,\"b\":5}{\"c\":\"x\",\"d\":true}{\"a\":2}";
	struct arena *a = arena_new(4096);
	struct json_rows rows;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		assert_null(scan_fast(a, padded(a, str_of(body)), &rows));
		assert_true(str_is(rows.columns[i].name, cases[i].column));
		json_rows_leave_out_column(&rows, i, LEFT_OUT_PROJECT_FULL);
		assert_string_equal(picture(a, &rows), cases[i].picture);
		assert_int_equal(rows.cell_count, i ? 4 : 3);
	}
	body = "{\"a\":9007199254740993}{\"a\":1}{\"a\":\"x\"}{\"a\":2}{\"a\":-9007199254740993}";
	assert_null(scan_fast(a, padded(a, str_of(body)), &rows));
	assert_int_equal(rows.cell_count, 7);
	json_rows_leave_out_column(&rows, 0, LEFT_OUT_PROJECT_FULL);
	assert_int_equal(rows.cell_count, 0);
	assert_int_equal(rows.left_out.items[0].count, 5);
	assert_true(str_is(rows.left_out.items[0].sample, "9007199254740993"));
	arena_free(a);
}

static void time_can_be_the_step(void **state)
{
	struct arena *a = arena_new(4096);
	struct str body =
		padded(a, STR("{\"_timestamp\":1.5,\"_step\":7}{\"_step\":8}"
			      "{\"_timestamp\":-1}"
			      "{\"_timestamp\":253402300799}{\"_timestamp\":253402300800}"));
	struct json_rows rows;

	(void)state;
	assert_null(scan_fast(a, body, &rows));
	json_rows_step_by_time(&rows);
	assert_int_equal(rows.steps[0], 1500000);
	assert_int_equal(rows.steps[1], JSON_STEP_NONE);
	assert_int_equal(rows.steps[2], JSON_STEP_NONE);
	assert_int_equal(rows.steps[3], INT64_C(253402300799000000));
	assert_int_equal(rows.steps[4], JSON_STEP_NONE);
	arena_free(a);
}

static void a_cursor_walks_an_object(void **state)
{
	struct arena *a = arena_new(4096);
	struct str body = padded(a, STR(" { \"n\": 42, \"t\" : \"a\\u00fcb\", \"b\":true,"
					"\"list\":[1,[2],{\"x\":3}], \"z\":null, \"r\":-1.5e3 } "));
	struct json_scan s;
	struct str key;
	int items = 0;

	(void)state;
	json_scan_begin(&s, a, body);
	json_scan_object(&s);
	assert_true(json_scan_key(&s, &key) && str_is(key, "n"));
	assert_int_equal(json_scan_kind(&s), JSON_KIND_NUMBER);
	assert_int_equal(json_scan_int64(&s, 0, 42), 42);
	assert_true(json_scan_key(&s, &key) && str_is(key, "t"));
	assert_true(str_is(json_scan_text(&s, 4), "a\xc3\xbc"
						  "b"));
	assert_true(json_scan_key(&s, &key));
	assert_true(json_scan_bool(&s));
	assert_true(json_scan_key(&s, &key));
	json_scan_array(&s);
	while (json_scan_item(&s)) {
		assert_true(json_scan_raw(&s).len > 0);
		items++;
	}
	assert_int_equal(items, 3);
	assert_true(json_scan_key(&s, &key) && json_scan_null(&s));
	assert_true(json_scan_key(&s, &key));
	assert_true(json_scan_double(&s) < -1499.0);
	assert_false(json_scan_key(&s, &key));
	assert_null(json_scan_end(&s));
	arena_free(a);
}

static void read_batch(struct json_scan *s, struct json_rows *rows)
{
	struct str key;

	json_scan_object(s);
	while (json_scan_key(s, &key)) {
		if (str_is(key, "writer"))
			json_scan_text(s, 4);
		else if (str_is(key, "session"))
			json_scan_int64(s, 0, 9);
		else if (str_is(key, "history"))
			json_scan_rows(s, rows);
		else
			json_scan_fail(s, "unknown field");
	}
}

static void a_cursor_remembers_its_first_error(void **state)
{
	static const struct {
		const char *body;
		const char *field;
		const char *message;
	} cases[] = {
		{ "{\"writer\":5}", "writer", "expected a string, at byte 10" },
		{ "{\"writer\":\"abcde\"}", "writer",
		  "expected a string of at most 4 bytes, at byte 17" },
		{ "{\"session\":1.0}", "session", "expected an integer, at byte 11" },
		{ "{\"session\":10}", "session", "expected an integer from 0 to 9, at byte 11" },
		{ "{\"session\":1 \"x\":2}", "session", "expected a comma or \"}\", at byte 13" },
		{ "{\"what\":1,\"session\":10}", "what", "unknown field, at byte 8" },
		{ "{\"history\":[{},{\"a\":{\"b\":x}}]}", "history[1].a.b",
		  "expected a value, at byte 25" },
		{ "{\"history\":[{},3]}", "history[1]",
		  "expected a row (a JSON object), at byte 15" },
		{ "{\"history\":{}}", "history", "expected an array, at byte 11" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct json_rows rows;
		struct json_scan s;
		err_t e;

		json_rows_init(&rows, a, 100);
		json_scan_begin(&s, a, padded(a, str_of(cases[i].body)));
		read_batch(&s, &rows);
		e = json_scan_end(&s);
		assert_non_null(e);
		assert_non_null(e->field);
		assert_string_equal(e->field, cases[i].field);
		assert_string_equal(e->message, cases[i].message);
		arena_free(a);
	}
}

static void text_is_unquoted(void **state)
{
	struct arena *a = arena_new(4096);
	struct str text;

	(void)state;
	text = json_scan_unquote(a, STR("\"plain\""));
	assert_true(str_is(text, "plain"));
	text = json_scan_unquote(
		a, STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20ac\\ud83d\\ude00\\ud800x\""));
	assert_true(str_is(text, "\"\\/\b\f\n\r\t\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx"));
	arena_free(a);
}

static void what_was_sent_is_written_as_one_line_of_json(void **state)
{
	static const struct {
		const char *json;
		const char *strict;
	} cases[] = {
		{ "[1,NaN,{\"NaN\":-Infinity}]", "[1,\"NaN\",{\"NaN\":\"-Infinity\"}]" },
		{ "Infinity", "\"Infinity\"" },
		{ "\"a\\\"NaN\\\\\"", "\"a\\\"NaN\\\\\"" },
		{ "[-1,-Infinity, \"Infinity\"]", "[-1,\"-Infinity\",\"Infinity\"]" },
		{ "-Infinity", "\"-Infinity\"" },
		{ "[ 1 ,\n\t{ \"a b\" : [ ] ,\r\n\"c\":-1e-5}, true ]",
		  "[1,{\"a b\":[],\"c\":-1e-5},true]" },
		{ "[-1]", "[-1]" },
		{ "true", "true" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };

		json_scan_write_strict(&out, str_of(cases[i].json));
		assert_true(str_is(buf_str(&out), cases[i].strict));
		buf_free(&out);
	}
}

/* Adds texts, or numbers, to one row after the other until there is an error. */
static enum json_rows_fault fill(struct json_rows *rows, bool texts)
{
	enum json_rows_fault fault = JSON_ROWS_OK;
	uint32_t column;

	for (int i = 0; i < 10000 && !fault; i++) {
		fault = json_rows_begin_row(rows);
		if (!fault)
			fault = json_rows_column(rows, STR("loss\0\0\0\0\0\0\0\0\0\0\0\0"),
						 JSON_NAME_PASSES, &column);
		if (!fault && texts)
			fault = json_rows_add_text(rows, column, STR("true"));
		else if (!fault)
			fault = json_rows_add_number(rows, column, i);
	}
	return fault;
}

/* The cells are copied when they grow, and once more into columns. */
static void cells_take_no_more_than_the_memory_that_is_left(void **state)
{
	enum { LIMIT = 1 << 20, LEFT = 64 << 10 };

	(void)state;
	for (int texts = 0; texts < 2; texts++) {
		struct arena *a = arena_new(4096);
		struct memory_share share;
		struct memory memory;
		struct json_rows rows;

		memory_init(&memory, LIMIT);
		memory_take(&memory, MEMORY_SEARCH, LIMIT - LEFT);
		share_begin(&share, &memory, 0);
		arena_count_in(a, &share);
		json_rows_init(&rows, a, 100);
		assert_int_equal(fill(&rows, texts), JSON_ROWS_NO_MEMORY);
		assert_true(share.held > LEFT / 4 && share.held <= LEFT);
		json_rows_finish(&rows);
		assert_true(memory.used <= LIMIT);
		arena_reset(a);
		arena_count_in(a, NULL);
		share_end(&share);
		arena_free(a);
	}
}

/* So nobody knows which names would meet. */
static void each_body_hashes_by_a_key_of_its_own(void **state)
{
	struct arena *a = arena_new(4096);
	const char *name = padded(a, STR("loss")).at;
	struct json_rows rows[2];
	uint64_t hash[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		json_rows_init(&rows[i], a, 100);
		hash[i] = json_rows_hash(&rows[i].index->key, name, 4);
	}
	assert_true(hash[0] != hash[1]);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_become_columns),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(limits_hold_on_both_sides),
		cmocka_unit_test(a_value_that_is_too_large_is_left_out),
		cmocka_unit_test(a_full_row_has_its_time),
		cmocka_unit_test(long_names_are_shortened),
		cmocka_unit_test(flattened_names_of_any_length_are_left_out),
		cmocka_unit_test(a_value_is_too_long_beyond_its_limit),
		cmocka_unit_test(a_column_that_is_left_out_is_counted_by_its_values),
		cmocka_unit_test(time_can_be_the_step),
		cmocka_unit_test(a_cursor_walks_an_object),
		cmocka_unit_test(a_cursor_remembers_its_first_error),
		cmocka_unit_test(text_is_unquoted),
		cmocka_unit_test(what_was_sent_is_written_as_one_line_of_json),
		cmocka_unit_test(cells_take_no_more_than_the_memory_that_is_left),
		cmocka_unit_test(each_body_hashes_by_a_key_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
