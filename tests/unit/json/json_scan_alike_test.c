/*
 * Bodies as clients send them, by the thousand from a fixed random sequence: names that repeat in the same
 * order or in any, numbers of every length, blanks, odd values and damage. The scanner reads them as the
 * plain parser does, with SIMD and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "json_rows.h"
#include "json_scalar.h"
#include "json_scan.h"
#include "json_scan_slow.h"

enum { BODIES = 3000, MAX_NAMES = 12 };

static uint64_t state_of_random = 20261121;

static uint32_t below(uint32_t limit)
{
	uint64_t z = (state_of_random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z >> 32) % limit);
}

static void add_digits(struct buf *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		buf_add_byte(b, (char)('0' + below(10)));
}

/* Up to 25 digits on either side of a point: more than any way of reading takes at once. */
static void add_number(struct buf *b)
{
	if (below(4) == 0)
		buf_add_byte(b, '-');
	if (below(2))
		buf_add_byte(b, '0');
	else
		add_digits(b, 1 + below(below(4) ? 3 : 25));
	if (below(4)) {
		buf_add_byte(b, '.');
		for (uint32_t zeros = below(4) ? 0 : below(20); zeros; zeros--)
			buf_add_byte(b, '0');
		add_digits(b, below(10) ? 1 + below(18) : below(26));
	}
	if (below(8) == 0)
		buf_printf(b, "e%s%u", below(2) ? "-" : "", below(below(2) ? 20 : 400));
}

static void add_value(struct buf *b)
{
	static const char *const odd[] = { "NaN",   "-Infinity", "true",      "null",  "\"a\\\"b\"",
					   "[1,2]", "{}",        "{\"a\":1}", "01",    "1.",
					   "-",     "1e",        "0x10",      "1.5.5", "1-",
					   "1e+5",  "Infinity",  "\"" };

	if (below(40))
		add_number(b);
	else
		buf_add_text(b, odd[below(sizeof(odd) / sizeof(odd[0]))]);
}

static void add_blanks(struct buf *b, uint32_t often)
{
	if (below(often))
		return;
	for (uint32_t n = below(below(8) ? 2 : 40); n; n--)
		buf_add_byte(b, " \n\t\r"[below(4)]);
}

static void add_name(struct buf *b, uint32_t which)
{
	static const char *const names[MAX_NAMES] = {
		"_step",
		"loss",
		"a",
		"ab",
		"train/sixteen_ab",
		"train/sixteen_abc",
		"train/sixteen_abd",
		"a name of more than thirty-two bytes, no less",
		"a name of more than thirty-two bytes, no more",
		"_timestamp",
		"esc\\u0061pe",
		"\xc3\xbc",
	};

	buf_printf(b, "\"%s\"", names[which]);
}

static void add_row(struct buf *b, uint32_t names, uint32_t shuffle, uint32_t blanks)
{
	uint32_t start = shuffle ? below(names) : 0;

	buf_add_byte(b, '{');
	for (uint32_t i = 0; i < names; i++) {
		add_blanks(b, blanks);
		if (i)
			buf_add_byte(b, ',');
		add_blanks(b, blanks);
		add_name(b, (start + (shuffle ? 5 : 1) * i) % MAX_NAMES);
		add_blanks(b, blanks);
		buf_add_byte(b, ':');
		add_blanks(b, blanks);
		add_value(b);
	}
	buf_add_byte(b, '}');
}

static struct str make_body(struct arena *a)
{
	struct buf *b = buf_new(a);
	uint32_t names = 1 + below(MAX_NAMES);
	uint32_t shuffle = below(2);
	uint32_t blanks = 1 + below(3) * 20;
	char *copy;

	for (uint32_t rows = 1 + below(6); rows; rows--)
		add_row(b, names, shuffle, blanks);
	if (below(8) == 0)
		b->at[below((uint32_t)b->len)] = (char)(below(126) + 1);
	if (below(16) == 0)
		b->len = below((uint32_t)b->len);
	copy = arena_zalloc(a, b->len + JSON_SCAN_PADDING, 1);
	memcpy(copy, b->at, b->len);
	return (struct str){ copy, b->len };
}

typedef void scan_fn(struct json_scan *s, struct json_rows *rows);

static err_t read_rows(struct arena *a, scan_fn *scan, struct str body, struct json_rows *rows)
{
	struct json_scan s;

	json_rows_init(rows, a, body.len);
	json_scan_begin(&s, a, body);
	scan(&s, rows);
	return json_scan_end(&s);
}

static void must_be_same(const struct json_column *x, const struct json_column *y)
{
	assert_true(str_equal(x->name, y->name));
	assert_int_equal(x->number_count, y->number_count);
	assert_int_equal(x->text_count, y->text_count);
	for (uint32_t i = 0; i < x->number_count; i++) {
		assert_int_equal(json_column_number_row(x, i), json_column_number_row(y, i));
		assert_memory_equal(&x->numbers[i], &y->numbers[i], sizeof(double));
	}
	for (uint32_t i = 0; i < x->text_count; i++) {
		assert_int_equal(json_column_text_row(x, i), json_column_text_row(y, i));
		assert_true(str_equal(x->texts[i], y->texts[i]));
	}
}

static void must_agree(struct arena *a, scan_fn *scan, struct str body, err_t plain_error,
		       const struct json_rows *plain)
{
	struct json_rows rows;
	err_t e = read_rows(a, scan, body, &rows);

	if (!e != !plain_error)
		fail_msg("%s: %s, plain: %s", body.at, e ? e->message : "fine",
			 plain_error ? plain_error->message : "fine");
	if (e)
		return;
	assert_int_equal(rows.row_count, plain->row_count);
	assert_int_equal(rows.column_count, plain->column_count);
	for (uint32_t i = 0; i < rows.row_count; i++)
		assert_int_equal(rows.steps[i], plain->steps[i]);
	for (uint32_t i = 0; i < rows.column_count; i++)
		must_be_same(&rows.columns[i], &plain->columns[i]);
}

static void random_bodies_are_read_alike(void **state)
{
	unsigned accepted = 0;

	(void)state;
	for (int i = 0; i < BODIES; i++) {
		struct arena *a = arena_new(1 << 14);
		struct str body = make_body(a);
		struct json_rows plain;
		err_t e;

		json_rows_init(&plain, a, body.len);
		e = json_scan_slow_rows(a, body, &plain);
		must_agree(a, json_scan_rows_body, body, e, &plain);
		must_agree(a, scalar_scan_rows_body, body, e, &plain);
		accepted += !e;
		arena_free(a);
	}
	assert_in_range(accepted, BODIES / 4, BODIES - BODIES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_bodies_are_read_alike) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
