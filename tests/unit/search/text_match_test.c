/* Texts that find names: in either case, with a capital exactly, or as an expression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "filter.h"
#include "text_match.h"

static void a_text_is_found_in_names(void **state)
{
	static const struct {
		const char *match;
		const char *name;
		bool is_found;
	} cases[] = {
		/* in either case */
		{ "loss", "val/Loss", true },
		{ "loss", "los", false },
		{ "loss", "", false },
		{ "\xc3\xa4", "\xc3\x84", true },
		/* a capital is meant */
		{ "Loss", "val/Loss", true },
		{ "Loss", "val/loss", false },
		{ "AZ", "xAZ", true },
		{ "zA", "za", false },
		{ "aZ", "az", false },
		/* an expression */
		{ "/^loss$/", "loss", true },
		{ "/^loss$/", "Loss", false },
		{ "/^loss$/i", "Loss", true },
		{ "/^Loss$/i", "loss", true },
		{ "/x/", "axb", true },
		{ "/[AB]/", "a", false },
		/* not one: its slashes are meant */
		{ "/x", "a/x", true },
		{ "/x", "x", false },
		{ "//", "a//b", true },
		{ "//", "ab", false },
		{ "//i", "a//I", true },
		{ "x/i", "x/i", true },
		{ "x/i", "x", false },
		{ "/", "a/b", true },
		{ "", "anything", true },
		{ "", "", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct text_match *m;

		assert_null(text_match_new(a, "match", str_of(cases[i].match), 0, &m));
		if (text_match_is(m, str_of(cases[i].name)) != cases[i].is_found)
			fail_msg("%s in %s", cases[i].match, cases[i].name);
		assert_null(text_match_error(m));
		assert_int_equal(text_match_is_all(m), !*cases[i].match);
		arena_free(a);
	}
}

static void what_cannot_be_matched_is_an_error_of_the_field(void **state)
{
	char longest[FILTER_REGEX_MAX + 1];
	const struct str cases[] = {
		STR("\xff"), STR("a\0b"), { longest, sizeof(longest) }, STR("/(/")
	};
	struct arena *a = arena_new(4096);
	struct text_match *m;

	(void)state;
	memset(longest, 'a', sizeof(longest));
	for (size_t i = 0; i < 4; i++) {
		err_t e = text_match_new(a, "match", cases[i], 0, &m);

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_true(str_starts(str_of(e->field), "match"));
	}
	assert_null(text_match_new(a, "match", (struct str){ longest, FILTER_REGEX_MAX }, 0, &m));
	assert_true(text_match_is(m, (struct str){ longest, FILTER_REGEX_MAX }));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_found_in_names),
		cmocka_unit_test(what_cannot_be_matched_is_an_error_of_the_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
