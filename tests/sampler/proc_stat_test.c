/* proc_stat_test.c - lines of /proc/<pid>/stat, honest and hostile. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "proc_file.h"
#include "proc_stat.h"

#define REST \
	"0 1 1 0 -1 4194560 9061 9416027 94 2620 36 98 54406 13885 20 0 3 0 29 109604864 2507 " \
	"18446744073709551615 1 1 0 0 0 0 671173123 4096 1260 0 0 0 17 0\n"

static void test_names(void **state)
{
	static const char *const names[] = { "systemd", "a b", ") (", ") R 7", "(((", ")))", "" };

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char line[512];
		struct proc_stat stat;
		snprintf(line, sizeof line, "1 (%s) S %s", names[i], REST);
		assert_true(proc_stat_parse(line, &stat));
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.parent, 0);
		assert_int_equal(stat.self_ticks, 36 + 98);
		assert_int_equal(stat.children_ticks, 54406 + 13885);
		assert_int_equal(stat.threads, 3);
		assert_int_equal(stat.start_ticks, 29);
		assert_int_equal(stat.rss_pages, 2507);
	}
}

/* A line that was cut anywhere gives either nothing or numbers that stand in it. */
static void test_truncation(void **state)
{
	static const char line[] = "1 (systemd) S " REST;
	char cut[sizeof line];
	struct proc_stat stat;

	(void)state;
	for (size_t length = 0; length < strlen(line); length++) {
		memcpy(cut, line, length);
		cut[length] = '\0';
		bool parsed = proc_stat_parse(cut, &stat);
		assert_true(!parsed || strstr(cut, " 109604864 "));
	}
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool parses;
		uint64_t number;
	} rows[] = {
		{ "0", true, 0 },
		{ " \t42 x", true, 42 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999999", false, 0 },
		{ "-1", false, 0 },
		{ "max", false, 0 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *at = rows[i].text;
		uint64_t number = 0;
		assert_int_equal(proc_number(&at, &number), rows[i].parses);
		assert_true(number == rows[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
