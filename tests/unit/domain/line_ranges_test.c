/* Which lines of a file are stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "line_ranges.h"

static const struct line_ranges nothing = { .border = 0 };

static struct line_ranges ranges_of(const int64_t *bounds)
{
	struct line_ranges ranges = nothing;

	for (; bounds[1]; bounds += 2)
		line_ranges_add(&ranges, bounds[0], bounds[1]);
	return ranges;
}

/* The first bytes in an allocation of their own, so that sanitizers see a read beyond them. */
static struct str first_bytes(struct str bytes, size_t count)
{
	char *copy = malloc(count);

	memcpy(copy, bytes.at, count);
	return (struct str){ copy, count };
}

static bool files_are_read(struct str bytes, size_t count)
{
	const struct str first = first_bytes(bytes, count);
	struct line_files read;
	bool is_read = line_files_decode(first, &read);

	free((char *)(uintptr_t)first.at);
	return is_read;
}

static bool pieces_are_read(struct str bytes, size_t count)
{
	const struct str first = first_bytes(bytes, count);
	struct console_pieces read;
	bool is_read = console_pieces_decode(first, &read);

	free((char *)(uintptr_t)first.at);
	return is_read;
}

static void expect_ranges(size_t i, const struct line_ranges *ranges, const int64_t *bounds)
{
	unsigned count = 0;

	for (; bounds[1]; bounds += 2, count++) {
		if (count >= ranges->count || ranges->at[count].from != bounds[0] ||
		    ranges->at[count].to != bounds[1])
			fail_msg("case %zu: range %u", i, count);
	}
	assert_int_equal(ranges->count, count);
}

static void what_is_added_is_one_where_it_touches(void **state)
{
	static const struct {
		int64_t added[12];
		int64_t ranges[12];
	} cases[] = {
		{ { 0 }, { 0 } },
		{ { 0, 5 }, { 0, 5 } },
		{ { 3, 5, 7, 9 }, { 3, 5, 7, 9 } },
		{ { 7, 9, 3, 5 }, { 3, 5, 7, 9 } },
		{ { 0, 5, 5, 9 }, { 0, 9 } },
		{ { 5, 9, 0, 5 }, { 0, 9 } },
		{ { 0, 5, 0, 5 }, { 0, 5 } },
		{ { 0, 5, 2, 4 }, { 0, 5 } },
		{ { 2, 4, 0, 9 }, { 0, 9 } },
		{ { 0, 2, 4, 6, 8, 10, 1, 9 }, { 0, 10 } },
		{ { 0, 2, 4, 6, 8, 10, 2, 4 }, { 0, 6, 8, 10 } },
		{ { 0, 2, 4, 6, 8, 10, 3, 7 }, { 0, 2, 3, 7, 8, 10 } },
		{ { 0, 2, 4, 6, 8, 10, 12, 13, 5, 8 }, { 0, 2, 4, 10, 12, 13 } },
		{ { 0, 2, 4, 6, 3, INT64_MAX }, { 0, 2, 3, INT64_MAX } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line_ranges ranges = ranges_of(cases[i].added);

		expect_ranges(i, &ranges, cases[i].ranges);
		line_ranges_add(&ranges, 1, 1);
		expect_ranges(i, &ranges, cases[i].ranges);
		assert_int_equal(ranges.border, 0);
	}
}

static void what_is_missing_is_told(void **state)
{
	static const struct {
		int64_t stored[8];
		int64_t from, to;
		int64_t missing[8];
	} cases[] = {
		{ { 0 }, 0, 4, { 0, 4 } },
		{ { 0 }, 4, 4, { 0 } },
		{ { 0, 4 }, 0, 4, { 0 } },
		{ { 0, 4 }, 1, 3, { 0 } },
		{ { 0, 4 }, 4, 9, { 4, 9 } },
		{ { 0, 4 }, 2, 9, { 4, 9 } },
		{ { 3, 4 }, 0, 3, { 0, 3 } },
		{ { 3, 4 }, 0, 9, { 0, 3, 4, 9 } },
		{ { 0, 2, 4, 6 }, 0, 9, { 2, 4, 6, 9 } },
		{ { 0, 2, 4, 6 }, 2, 4, { 2, 4 } },
		{ { 0, 2, 4, 6 }, 1, 5, { 2, 4 } },
		{ { 0, 2, 4, 6 }, 3, 4, { 3, 4 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line_ranges ranges = ranges_of(cases[i].stored);
		struct line_part parts[LINE_PARTS_MAX];
		unsigned count = line_ranges_missing(&ranges, cases[i].from, cases[i].to, parts);
		const int64_t *expected = cases[i].missing;

		for (unsigned p = 0; p < count; p++, expected += 2) {
			if (parts[p].kind != LINE_PART_NEW || parts[p].from != expected[0] ||
			    parts[p].to != expected[1])
				fail_msg("case %zu: part %u", i, p);
		}
		assert_int_equal(expected[1], 0);
	}
}

/* Every second number, one range more than there is room for. */
static struct line_ranges full_and_one(void)
{
	struct line_ranges ranges = nothing;

	for (int64_t i = 0; i <= LINE_RANGES_MAX; i++)
		line_ranges_add(&ranges, 10 + 2 * i, 11 + 2 * i);
	return ranges;
}

static void the_lowest_is_forgotten_and_said_to_be_unknown(void **state)
{
	struct line_ranges ranges = full_and_one();
	struct line_part parts[LINE_PARTS_MAX];

	(void)state;
	assert_int_equal(ranges.count, LINE_RANGES_MAX);
	assert_int_equal(ranges.border, 11);
	assert_int_equal(line_ranges_missing(&ranges, 0, 14, parts), 3);
	assert_int_equal(parts[0].kind, LINE_PART_UNKNOWN);
	assert_int_equal(parts[0].from, 0);
	assert_int_equal(parts[0].to, 11);
	assert_int_equal(parts[1].kind, LINE_PART_NEW);
	assert_int_equal(parts[1].from, 11); /* the gap behind it is still known */
	assert_int_equal(parts[1].to, 12);
	assert_int_equal(parts[2].from, 13);
	assert_int_equal(line_ranges_missing(&ranges, 0, INT32_MAX, parts), LINE_PARTS_MAX);

	line_ranges_add(&ranges, 0, 5); /* below the border nothing is remembered */
	assert_int_equal(ranges.border, 11);
	assert_int_equal(line_ranges_missing(&ranges, 3, 8, parts), 1);
	assert_int_equal(parts[0].kind, LINE_PART_UNKNOWN);
	line_ranges_add(&ranges, 5, 12); /* what reaches over it is, as far as it does */
	assert_int_equal(ranges.border, 11);
	assert_int_equal(ranges.at[0].from, 11);
	assert_int_equal(line_ranges_missing(&ranges, 11, 13, parts), 0);
}

/* A model with one byte a number: what was added is never said to be new, what was not never stored. */
static void nothing_is_lost_in_any_order(void **state)
{
	enum { NUMBERS = 600, ROUNDS = 4000 };
	unsigned char added[NUMBERS] = { 0 };
	struct line_ranges ranges = nothing;
	unsigned seed = 7;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct line_part parts[LINE_PARTS_MAX];
		int64_t from = rand_r(&seed) % NUMBERS;
		int64_t to = from + rand_r(&seed) % 3;
		unsigned char said[NUMBERS] = { 0 };
		unsigned count = line_ranges_missing(&ranges, 0, NUMBERS, parts);

		for (unsigned p = 0; p < count; p++)
			memset(said + parts[p].from, parts[p].kind == LINE_PART_NEW ? 1 : 2,
			       (size_t)(parts[p].to - parts[p].from));
		for (int64_t n = 0; n < NUMBERS; n++)
			assert_true(said[n] == 2 || said[n] == !added[n]);
		to = to < NUMBERS ? to : NUMBERS;
		memset(added + from, 1, (size_t)(to - from));
		line_ranges_add(&ranges, from, to);
		if (round % 500 == 499) {
			memset(added, 0, sizeof(added));
			ranges = nothing;
		}
	}
}

/* ---- bytes -------------------------------------------------------------------------------------- */

static void expect_same(const struct line_files *one, const struct line_files *other)
{
	for (unsigned i = 0; i < LINE_FILES; i++) {
		assert_int_equal(one->of[i].border, other->of[i].border);
		assert_int_equal(one->of[i].count, other->of[i].count);
		assert_memory_equal(one->of[i].at, other->of[i].at,
				    one->of[i].count * sizeof(one->of[i].at[0]));
	}
}

static void bytes_come_back(void **state)
{
	struct line_files files[] = {
		{ .of = { nothing, nothing } },
		{ .of = { ranges_of((int64_t[]){ 0, 1000000, 0, 0 }), nothing } },
		{ .of = { nothing, ranges_of((int64_t[]){ 5, 6, 8, INT64_MAX, 0, 0 }) } },
		{ .of = { full_and_one(), full_and_one() } },
	};
	static const size_t lengths[] = { 0, 8, 0, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct line_files read;
		struct buf bytes = { .at = NULL };

		line_files_encode(&bytes, &files[i]);
		assert_true(bytes.len <= LINE_RANGES_MAX_BYTES);
		if (i < 2)
			assert_int_equal(bytes.len, lengths[i]);
		assert_true(line_files_decode(buf_str(&bytes), &read));
		expect_same(&files[i], &read);
		for (size_t cut = 1; cut < bytes.len; cut++)
			assert_false(files_are_read(buf_str(&bytes), cut));
		buf_free(&bytes);
	}
}

static void pieces_come_back(void **state)
{
	struct console_pieces pieces = { .count = 0 };
	struct console_pieces read;
	struct buf bytes = { .at = NULL };

	(void)state;
	for (int64_t i = 0; i < CONSOLE_PIECES_MAX; i++)
		console_pieces_add(&pieces, &(struct console_piece){ 10 * i, i, i % 2 });
	console_pieces_encode(&bytes, &pieces);
	assert_true(bytes.len <= CONSOLE_PIECES_MAX_BYTES);
	assert_true(console_pieces_decode(buf_str(&bytes), &read));
	assert_int_equal(read.count, CONSOLE_PIECES_MAX);
	assert_int_equal(read.rows_only, 0);
	for (unsigned i = 0; i < CONSOLE_PIECES_MAX; i++) {
		assert_int_equal(read.of[i].at, 10 * i);
		assert_int_equal(read.of[i].from, i);
		assert_int_equal(read.of[i].has_rows, i % 2);
	}
	for (size_t cut = 1; cut < bytes.len; cut++)
		assert_false(pieces_are_read(buf_str(&bytes), cut));
	buf_free(&bytes);
}

static void pieces_are_added(void **state)
{
	struct console_pieces pieces = { .count = 0 };

	(void)state;
	console_pieces_add(&pieces, &(struct console_piece){ 0, 0, false });
	console_pieces_add(&pieces, &(struct console_piece){ 5, 0, false });
	console_pieces_add(&pieces, &(struct console_piece){ 5, 3, true });
	assert_int_equal(pieces.count, 2);
	assert_int_equal(pieces.of[1].from, 3);
	assert_int_equal(console_pieces_end(&pieces, 0, 9), 5);
	assert_int_equal(console_pieces_end(&pieces, 1, 9), 9);
	for (int64_t i = 0; i < CONSOLE_PIECES_MAX; i++)
		console_pieces_add(&pieces, &(struct console_piece){ 10 + i, 0, false });
	assert_int_equal(pieces.count, CONSOLE_PIECES_MAX);
	assert_int_equal(pieces.of[0].at, 10);
	assert_int_equal(pieces.rows_only, CONSOLE_ROWS_UNKNOWN);
}

static void sessions_without_lines_are_noted(void **state)
{
	struct console_pieces pieces = { .count = 0 };
	struct console_pieces read;
	struct buf bytes = { .at = NULL };

	(void)state;
	assert_true(console_pieces_add_rows_only(&pieces, 7));
	assert_false(console_pieces_add_rows_only(&pieces, 7));
	assert_int_equal(pieces.rows_only, 7);
	console_pieces_encode(&bytes, &pieces);
	assert_true(console_pieces_decode(buf_str(&bytes), &read));
	assert_int_equal(read.rows_only, 7);
	assert_true(console_pieces_add_rows_only(&read, 8));
	assert_int_equal(read.rows_only, CONSOLE_ROWS_UNKNOWN);
	assert_false(console_pieces_add_rows_only(&read, 8));
	buf_clear(&bytes);
	console_pieces_encode(&bytes, &read);
	assert_true(console_pieces_decode(buf_str(&bytes), &read));
	assert_int_equal(read.rows_only, CONSOLE_ROWS_UNKNOWN);
	assert_int_equal(read.count, 0);
	buf_free(&bytes);
}

static void damaged_bytes_are_refused(void **state)
{
	static const struct str cases[] = {
		STR("\x01"),
		STR("\x80"), /* cut off within a number */
		STR("\0\x80\x80"),
		STR("\0\0\0"),
		STR("\0\x01\x00\x00\0\0"),         /* an empty range */
		STR("\0\x02\x00\x01\x00\x01\0\0"), /* two that touch */
		STR("\0\x41"),                     /* more than there may be */
		STR("\0\0\0\0\0"),                 /* something behind */
		STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0"),
		STR("\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x01\x01\0\0"), /* beyond 2^63 */
		STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\0\0"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (files_are_read(cases[i], cases[i].len))
			fail_msg("case %zu was read", i);
	}
}

static void gaps_are_counted(void **state)
{
	struct line_files files = { .of = { ranges_of((int64_t[]){ 3, 5, 7, 9, 10, 12, 0, 0 }),
					    ranges_of((int64_t[]){ 0, 2, 5, 6, 0, 0 }) } };
	static const struct line_files none;

	(void)state;
	assert_int_equal(line_files_gaps(&none), 0);
	assert_int_equal(line_files_gaps(&files), 2 + 1 + 3);
}

static void damaged_pieces_are_refused(void **state)
{
	static const struct str cases[] = {
		STR("\1"),                        /* cut off */
		STR("\x81"),         STR("\1\0"), /* no pieces */
		STR("\1\1\0\0\0"),                /* trailing bytes */
		STR("\1\2\5\0\0\0"),              /* two pieces at one number */
		STR("\1\1\0\2"),                  /* a piece that begins beyond its number */
		STR("\1\x41"),                    /* more than CONSOLE_PIECES_MAX */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_false(pieces_are_read(cases[i], cases[i].len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_one_where_it_touches),
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(the_lowest_is_forgotten_and_said_to_be_unknown),
		cmocka_unit_test(nothing_is_lost_in_any_order),
		cmocka_unit_test(bytes_come_back),
		cmocka_unit_test(pieces_come_back),
		cmocka_unit_test(pieces_are_added),
		cmocka_unit_test(sessions_without_lines_are_noted),
		cmocka_unit_test(damaged_bytes_are_refused),
		cmocka_unit_test(damaged_pieces_are_refused),
		cmocka_unit_test(gaps_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
