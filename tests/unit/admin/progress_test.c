/* The line that tells how far a command is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "progress.h"

static void test_bytes(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },           { 1023, "1023 B" },
		{ 1024, "1.0 KiB" },    { 102348, "99.9 KiB" },
		{ 102351, "100 KiB" },  { 1048063, "1023 KiB" },
		{ 1048064, "1.0 MiB" }, { 1.5 * (1 << 30), "1.5 GiB" },
		{ 2e18, "1776 PiB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[PROGRESS_BYTES_SIZE];

		progress_bytes(text, cases[i].bytes);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_line(void **state)
{
	static const struct {
		double part;
		int64_t bytes, elapsed_us;
		const char *line;
	} cases[] = {
		{ 0, 0, 0, "[                        ]   0 %  3 runs, 0 B/s" },
		{ 0.5, 10000000, 1000000, "[############            ]  50 %  3 runs, 9.5 MiB/s" },
		{ 0.5, 10000000, 10000000,
		  "[############            ]  50 %  3 runs, 977 KiB/s, 0:10 left" },
		{ 0.25, 0, 3600000000,
		  "[######                  ]  25 %  3 runs, 0 B/s, 3:00:00 left" },
		{ 0.25, 0, 1199000000,
		  "[######                  ]  25 %  3 runs, 0 B/s, 59:57 left" },
		{ 1.2, 0, 10000000, "[########################] 100 %  3 runs, 0 B/s" },
		{ -1, 5000, 1000000, "[                        ]  3 runs, 4.9 KiB/s" },
		{ 0.5, -1, 1000000, "[############            ]  50 %  3 runs" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct progress_state at = { cases[i].part, cases[i].bytes, "3 runs" };
		char line[160];

		progress_line(line, sizeof(line), &at, cases[i].elapsed_us);
		assert_string_equal(line, cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
