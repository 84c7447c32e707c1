#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "db_split.h"

static const struct split_case {
	const char *script;
	const char *statement[5];
} cases[] = {
	{ "", { NULL } },
	{ " \n;; -- nothing\n/* ; */ ", { NULL } },
	{ "select 1", { "select 1" } },
	{ "select 1;", { "select 1" } },
	{ "select 1; select 2 ;\n", { "select 1", "select 2" } },
	{ "-- a; b\nselect 1; -- c; d\nselect 2", { "select 1", "select 2" } },
	{ "select 1 -- it's; so\n, 2; x", { "select 1 -- it's; so\n, 2", "x" } },
	{ "select ';'; x", { "select ';'", "x" } },
	{ "select 'it''s;'; x", { "select 'it''s;'", "x" } },
	{ "select '\\'; x", { "select '\\'", "x" } },
	{ "select E'\\';'; x", { "select E'\\';'", "x" } },
	{ "select name'a;b'; x", { "select name'a;b'", "x" } },
	{ "select \"a;\"\"b\"; x", { "select \"a;\"\"b\"", "x" } },
	{ "select $$;$$; x", { "select $$;$$", "x" } },
	{ "do $f$ begin; '$$' ; end $f$; x", { "do $f$ begin; '$$' ; end $f$", "x" } },
	{ "select a$b$; x$b$", { "select a$b$", "x$b$" } },
	{ "select $1; select $2$;", { "select $1", "select $2$" } },
	{ "/* a /* ; */ ; */ select 1 /* ; */; x", { "select 1 /* ; */", "x" } },
	{ "select 'open; x", { "select 'open; x" } },
	{ "select $a$ open; x", { "select $a$ open; x" } },
	{ "select 1 /* open; x", { "select 1 /* open; x" } },
	{ "select 'é;'; é$$;", { "select 'é;'", "é$$" } },
};

static void test_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* A copy without a NUL, so that the sanitizer sees a step too far. */
		size_t len = strlen(cases[i].script);
		char *copy = test_malloc(len ? len : 1);
		struct str rest = { copy, len };
		struct str s;
		size_t n = 0;

		memcpy(copy, cases[i].script, len);
		while (db_split_next(&rest, &s)) {
			assert_non_null(cases[i].statement[n]);
			if (!str_is(s, cases[i].statement[n]))
				fail_msg("case %zu: \"%.*s\"", i, STR_ARG(s));
			n++;
		}
		assert_null(cases[i].statement[n]);
		test_free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_split) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
