/* Names of files: what is the same, what is kept, what is refused; and what a file is taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "file_name.h"
#include "file_type.h"

static void names(void **state)
{
	static const struct {
		struct str text;
		const char *name; /* NULL: refused */
	} cases[] = {
		{ STR("a"), "a" },
		{ STR("a/b c/%.txt"), "a/b c/%.txt" },
		{ STR("./a"), "a" },
		{ STR("././a/./b"), "a/b" },
		{ STR(".a/..b/c.."), ".a/..b/c.." },
		{ STR("u\xcc\x88"), "u\xcc\x88" },
		{ STR("..."), "..." },
		{ STR("a\nb"), "a\nb" },
		{ STR(""), NULL },
		{ STR("."), NULL },
		{ STR("./"), NULL },
		{ STR("/a"), NULL },
		{ STR("a/"), NULL },
		{ STR("a/."), "a" },
		{ STR("a//b"), NULL },
		{ STR(".."), NULL },
		{ STR("../a"), NULL },
		{ STR("a/../b"), NULL },
		{ STR("a/.."), NULL },
		{ STR("a\\b"), NULL },
		{ STR("a\0b"), NULL },
		{ STR("\xff"), NULL },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str name = STR("-");
		err_t e = file_name_read(a, "name", cases[i].text, &name);

		if (!e != (cases[i].name != NULL) || (!e && !str_is(name, cases[i].name)))
			fail_msg("case %zu: %s", i, e ? e->message : name.at);
		if (e)
			assert_string_equal(e->field, "name");
	}
	arena_free(a);
}

static void fits(void **state)
{
	static const struct {
		struct str text;
		const char *name; /* NULL: refused */
	} cases[] = {
		{ STR("./a/b c"), "a/b c" },
		{ STR("media/$\\alpha$.html"), "media/$＼alpha$.html" },
		{ STR("a\nb\0"), "a␊b␀" },
		{ STR("a＼b"), "a‛＼b" },
		{ STR("\xff"), "‛FF" },
		{ STR("..\\x"), "..＼x" },
		{ STR("../x"), NULL },
		{ STR("/a"), NULL },
		{ STR(""), NULL },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str name = STR("-");
		err_t e = file_name_fit(a, "name", cases[i].text, &name);

		if (!e != (cases[i].name != NULL) || (!e && !str_is(name, cases[i].name)))
			fail_msg("case %zu: %s", i, e ? e->message : name.at);
	}
	arena_free(a);
}

static void length(void **state)
{
	struct arena *a = arena_new(1024);
	char text[FILE_NAME_MAX + 4] = "./";
	struct str name;

	(void)state;
	memset(text + 2, 'n', sizeof(text) - 2);
	assert_null(file_name_read(a, "name", (struct str){ text, FILE_NAME_MAX + 2 }, &name));
	assert_int_equal(name.len, FILE_NAME_MAX);
	assert_non_null(file_name_read(a, "name", (struct str){ text, FILE_NAME_MAX + 3 }, &name));
	arena_free(a);
}

static void bases(void **state)
{
	(void)state;
	assert_true(str_is(file_name_base(STR("a/b/c.txt")), "c.txt"));
	assert_true(str_is(file_name_base(STR("c.txt")), "c.txt"));
}

static void types(void **state)
{
	static const struct {
		const char *name, *type;
		bool is_inert;
	} cases[] = {
		{ "a.PNG", "image/png", true },
		{ "a.tar.gz", "application/gzip", false },
		{ "a.html", "text/html; charset=utf-8", false },
		{ "a.svg", "image/svg+xml", false },
		{ ".png", "application/octet-stream", false },
		{ "png", "application/octet-stream", false },
		{ "a.png ", "application/octet-stream", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_type type = file_type_of(str_of(cases[i].name));

		assert_string_equal(type.media_type, cases[i].type);
		assert_int_equal(type.is_inert, cases[i].is_inert);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(length), cmocka_unit_test(fits),
		cmocka_unit_test(bases), cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
