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
		{ 0, "0 B" },         { 999, "999 B" },    { 1000, "1.0 kB" },
		{ 99949, "99.9 kB" }, { 99960, "100 kB" }, { 999499, "999 kB" },
		{ 999500, "1.0 MB" }, { 1.5e9, "1.5 GB" }, { 2e18, "2000 PB" },
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
		{ 0.5, 10000000, 1000000, "[############            ]  50 %  3 runs, 10.0 MB/s" },
		{ 0.5, 10000000, 10000000,
		  "[############            ]  50 %  3 runs, 1.0 MB/s, 0:10 left" },
		{ 0.25, 0, 3600000000,
		  "[######                  ]  25 %  3 runs, 0 B/s, 3:00:00 left" },
		{ 0.25, 0, 1199000000,
		  "[######                  ]  25 %  3 runs, 0 B/s, 59:57 left" },
		{ 1.2, 0, 10000000, "[########################] 100 %  3 runs, 0 B/s" },
		{ -1, 5000, 1000000, "[                        ]  3 runs, 5.0 kB/s" },
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
