/* What people see of a line, and what stands in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "line_match.h"

static void test_plain(void **state)
{
	static const struct {
		const char *line;
		const char *plain;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "\x1b[31mred\x1b[0m", "red" },
		{ "a\x1b[38;5;10;1mb\x1b[mc", "abc" },
		{ "\x1b[?25l\x1b[2K\rbar", "\rbar" },
		{ "\x1b]0;title\x07text", "text" },
		{ "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link" },
		{ "\x1b(Bx\x1b=y\x1b"
		  "7z",
		  "xyz" },
		{ "end\x1b", "end" },
		{ "end\x1b[", "end" },
		{ "end\x1b[31", "end" },
		{ "end\x1b]title", "end" },
		{ "end\x1b]title\x1b", "end" },
		{ "\x1b\x1b[1mx", "x" },
		{ "\x1b\x01x", "\x01x" },
	};
	struct arena *a = arena_new(256);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf *out = buf_new(a);

		line_add_plain(out, str_of(cases[i].line));
		if (!str_is(buf_str(out), cases[i].plain))
			fail_msg("%zu: \"%.*s\"", i, STR_ARG(buf_str(out)));
	}
	arena_free(a);
}

static bool is_in(const char *text, enum line_match_case letters, const char *line)
{
	struct arena *a = arena_new(256);
	struct line_match match;
	bool found;

	line_match_init(&match, a, str_of(text), letters);
	found = line_match_is_in(&match, str_of(line));
	arena_free(a);
	return found;
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(is_in("b", LINE_MATCH_EXACT, "abc"));
	assert_false(is_in("B", LINE_MATCH_EXACT, "abc"));
	assert_true(is_in("B", LINE_MATCH_EITHER_CASE, "abc"));
	assert_true(is_in("abc", LINE_MATCH_EITHER_CASE, "xABc"));
	assert_false(is_in("abcd", LINE_MATCH_EXACT, "abc"));
	assert_false(is_in("b", LINE_MATCH_EXACT, ""));
	assert_true(is_in("ab", LINE_MATCH_EXACT, "a\x1b[1mb"));
	assert_false(is_in("1m", LINE_MATCH_EXACT, "a\x1b[1mb"));
	assert_true(is_in("\x1b[1M", LINE_MATCH_EITHER_CASE, "a\x1b[1mb"));
	assert_false(is_in("x", LINE_MATCH_EXACT, "\x1b[1m"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
