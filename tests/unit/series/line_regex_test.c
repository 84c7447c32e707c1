/* Regular expressions on lines: what they find, what is refused, and lines that take too many steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "line_regex.h"

static struct line_regex *regex_of(struct arena *a, const char *text, enum line_regex_case letters)
{
	struct line_regex *r;

	assert_null(line_regex_new(a, "regex", str_of(text), letters, &r));
	return r;
}

static void lines_are_found_in_either_case_or_exactly(void **state)
{
	static const struct {
		const char *regex;
		const char *line;
		bool exact, either;
	} cases[] = {
		{ "loss", "the loss is 1", true, true },
		{ "loss", "the Loss is 1", false, true },
		{ "^loss", "the loss", false, false },
		{ "loss$", "the loss", true, true },
		{ "l.ss", "l\xc3\xb6ss", true, true }, /* one character, two bytes */
		{ "\xc3\xa4", "\xc3\x84", false, true },
		{ "[0-9]{3}", "12 345", true, true },
		{ "x", "", false, false },
		{ "^$", "", true, true },
		{ "b",
		  "a\xff"
		  "b\xc3",
		  true, true },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line_regex *exact = regex_of(a, cases[i].regex, LINE_REGEX_EXACT);
		struct line_regex *either = regex_of(a, cases[i].regex, LINE_REGEX_EITHER_CASE);
		const struct str line = str_of(cases[i].line);

		assert_int_equal(line_regex_is_in(exact, line), cases[i].exact);
		assert_int_equal(line_regex_is_in(either, line), cases[i].either);
		assert_int_equal(line_regex_given_up(exact), 0);
		assert_int_equal(line_regex_given_up(either), 0);
	}
	assert_true(line_regex_is_in(regex_of(a, "^$", LINE_REGEX_EXACT), (struct str){ NULL, 0 }));
	arena_free(a);
}

static void invalid_expressions_are_errors_of_the_field(void **state)
{
	static const char *const cases[][2] = {
		{ "(", ", at byte 2" },  { "a[", ", at byte 3" }, { "a\\", ", at byte 3" },
		{ "a{3,2}", "at byte" }, { "\xff", "at byte 1" }, { "a\\Cb", "at byte" },
	};
	struct arena *a = arena_new(4096);
	struct line_regex *r;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err_t e = line_regex_new(a, "regex", str_of(cases[i][0]), LINE_REGEX_EXACT, &r);

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->field, "regex");
		assert_true(str_starts(str_of(e->message), "invalid regular expression: "));
		assert_non_null(strstr(e->message, cases[i][1]));
	}
	arena_free(a);
}

/* Each such line is counted, and others are found all the same. */
static void a_line_that_takes_too_many_steps_is_given_up(void **state)
{
	struct arena *a = arena_new(4096);
	struct line_regex *r = regex_of(a, "^(a+)+$", LINE_REGEX_EXACT);
	char line[64];

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '!';
	for (int i = 1; i <= 3; i++) {
		assert_false(line_regex_is_in(r, (struct str){ line, sizeof(line) }));
		assert_int_equal(line_regex_given_up(r), i);
	}
	assert_true(line_regex_is_in(r, (struct str){ line, sizeof(line) - 1 }));
	assert_false(line_regex_is_in(r, STR("b")));
	assert_int_equal(line_regex_given_up(r), 3);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_in_either_case_or_exactly),
		cmocka_unit_test(invalid_expressions_are_errors_of_the_field),
		cmocka_unit_test(a_line_that_takes_too_many_steps_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
