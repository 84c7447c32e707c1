/* Lines that report errors, and how many of a chunk do at which time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "line_level.h"
#include "line_spread.h"

/* In an allocation of its own, so that sanitizers see a read beyond it. */
static bool is_error(const char *text)
{
	size_t len = strlen(text);
	char *exact = malloc(len + 1);
	bool result;

	memcpy(exact + 1, text, len);
	result = line_is_error((struct str){ exact + 1, len });
	free(exact);
	return result;
}

static void errors_are_known_by_the_words_of_loggers(void **state)
{
	static const char *const errors[] = {
		"ERROR",
		"ERROR: no file",
		"2026-11-21 10:00:00 ERROR no file",
		"[FATAL] no file",
		"CRITICAL:root:no file",
		"\x1b[31mERROR\x1b[0m no file",
		"\x1b[1;31mERROR",
		"\x1b[mERROR",
		"Traceback (most recent call last):",
		"ValueError: no value",
		"torch.cuda.OutOfMemoryError: no memory",
		"Error: no file",
		"main.Error: no file",
		"Exception: no file",
		"java.io.IOException: no file",
		"no ERRORS, but an ERROR",
		"MY_ERROR and ERROR",
	};
	static const char *const others[] = {
		"",
		"E",
		"error",
		"ERRORS",
		"ERROR2",
		"ERROR_COUNT=0",
		"MY_ERROR",
		"9ERROR",
		"mERROR",
		"[mERROR",
		"x[31mERROR",
		"\03331mERROR",
		"\x1b[31nERROR",
		"\x1b[3xmERROR",
		"FATALITY",
		"Tracebacks",
		"Validation Error: 0.31",
		"val_Error: 0.31",
		"2Error: 0.31",
		"ValueError",
		"An Exception: none",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (!is_error(errors[i]))
			fail_msg("\"%s\" is an error", errors[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (is_error(others[i]))
			fail_msg("\"%s\" is not an error", others[i]);
	}
}

/* ---- over time ----------------------------------------------------------------------------------- */

enum { FIRST = 1000, LAST = 1000 + 10 * LINE_SPREAD_PARTS - 1 }; /* ten microseconds a part */

static struct line line_of(int64_t time_us, enum line_stream stream, const char *text)
{
	return (struct line){ .time_us = time_us, .stream = stream, .text = str_of(text) };
}

static struct line_spread spread_of(void)
{
	struct line items[] = {
		line_of(FIRST, 0, "a"),      line_of(FIRST + 9, 0, "ERROR"),
		line_of(FIRST + 9, 1, "b"),  line_of(FIRST + 10, 1, "ERROR"),
		line_of(LAST, 0, "c"),       line_of(FIRST - 100, 0, "d"),
		line_of(LAST + 100, 0, "e"), line_of(LAST - 9, 0, "f"),
		line_of(LAST - 10, 0, "g"),
	};
	const struct lines lines = { sizeof(items) / sizeof(items[0]), items };
	struct line_spread spread;

	line_spread_make(&lines, FIRST, LAST, &spread);
	return spread;
}

static void check(const struct line_spread *s, int part, int stream, int64_t lines, int64_t errors)
{
	assert_int_equal(s->parts[part][stream].lines, lines);
	assert_int_equal(s->parts[part][stream].errors, errors);
}

static void each_line_counts_in_its_part_of_the_time(void **state)
{
	const struct line_spread spread = spread_of();

	(void)state;
	assert_int_equal(spread.time_first, FIRST);
	assert_int_equal(spread.time_last, LAST);
	check(&spread, 0, 0, 3, 1); /* with the one from before */
	check(&spread, 0, 1, 1, 0);
	check(&spread, 1, 0, 0, 0);
	check(&spread, 1, 1, 1, 1);
	check(&spread, LINE_SPREAD_PARTS - 2, 0, 1, 0);
	check(&spread, LINE_SPREAD_PARTS - 1, 0, 3, 0); /* with the one from later */
}

static void counts_survive_as_bytes(void **state)
{
	struct line_spread spread = spread_of();
	struct line_spread back = { .time_first = FIRST, .time_last = LAST };
	struct buf out = { 0 };

	(void)state;
	spread.parts[3][1] = (struct line_counts){ 127, 128 };
	spread.parts[4][0] = (struct line_counts){ LINES_PER_CHUNK, 300 };
	line_spread_write(&spread, &out);
	buf_trim(&out);
	assert_int_equal(out.len, 4 * LINE_SPREAD_PARTS + 3);
	assert_true(line_spread_read(buf_str(&out), &back));
	assert_memory_equal(&back, &spread, sizeof(spread));
	for (size_t len = 0; len < out.len; len++) {
		char *cut = malloc(len + 1);

		memcpy(cut + 1, out.at, len);
		assert_false(line_spread_read((struct str){ cut + 1, len }, &back));
		free(cut);
	}
	buf_add_byte(&out, '\0');
	assert_false(line_spread_read(buf_str(&out), &back));
	buf_free(&out);
}

static void a_part_has_no_more_lines_than_a_chunk(void **state)
{
	struct line_spread spread = { 0 };
	struct line_spread back;

	(void)state;
	for (int errors = 0; errors < 2; errors++) {
		struct buf out = { 0 };

		spread.parts[5][0] =
			(struct line_counts){ LINES_PER_CHUNK + !errors, LINES_PER_CHUNK + errors };
		line_spread_write(&spread, &out);
		assert_false(line_spread_read(buf_str(&out), &back));
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_known_by_the_words_of_loggers),
		cmocka_unit_test(each_line_counts_in_its_part_of_the_time),
		cmocka_unit_test(counts_survive_as_bytes),
		cmocka_unit_test(a_part_has_no_more_lines_than_a_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
