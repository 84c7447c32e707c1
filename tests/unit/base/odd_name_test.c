#include "odd_name.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"

enum { MAX = 512 };

static const struct {
	struct str name;
	struct str form;
	enum odd_name_kind kind;
} cases[] = {
	{ STR(""), STR(""), ODD_NAME_KEY },
	{ STR("train/loss"), STR("train/loss"), ODD_NAME_KEY },
	{ STR("per class 50% {猫} \U0001f600"), STR("per class 50% {猫} \U0001f600"),
	  ODD_NAME_KEY },
	{ STR("cat\n"), STR("cat␊"), ODD_NAME_KEY },
	{ STR("a\tb\rc"), STR("a␉b␍c"), ODD_NAME_KEY },
	{ STR("a\0b"), STR("a␀b"), ODD_NAME_KEY },
	{ STR("\x1f\x7f"), STR("␟␡"), ODD_NAME_KEY },
	{ STR("C:\\new"), STR("C:\\new"), ODD_NAME_KEY },
	{ STR("C:\\new"), STR("C:＼new"), ODD_NAME_FILE },
	{ STR("C:＼new"), STR("C:＼new"), ODD_NAME_KEY },
	{ STR("C:＼new"), STR("C:‛＼new"), ODD_NAME_FILE },
	{ STR("cat␊"), STR("cat‛␊"), ODD_NAME_KEY },
	{ STR("␠ ␢"), STR("␠ ␢"), ODD_NAME_KEY },
	{ STR("‛"), STR("‛‛"), ODD_NAME_KEY },
	{ STR("‛FF"), STR("‛‛FF"), ODD_NAME_KEY },
	{ STR("‛\n"), STR("‛‛␊"), ODD_NAME_KEY },
	{ STR("a\xff"), STR("a‛FF"), ODD_NAME_KEY },
	{ STR("\xed\xa0\x80"), STR("‛ED‛A0‛80"), ODD_NAME_KEY }, /* half of a pair */
	{ STR("\xe2\x90"), STR("‛E2‛90"), ODD_NAME_KEY },
};

static void check_same(struct str a, struct str b)
{
	if (!str_equal(a, b))
		print_error("\"%.*s\" is not \"%.*s\"\n", STR_ARG(a), STR_ARG(b));
	assert_true(str_equal(a, b));
}

static void test_forms(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str form = odd_name_form(a, cases[i].name, cases[i].kind, MAX);

		check_same(form, cases[i].form);
		check_same(odd_name_read(a, form, cases[i].kind), cases[i].name);
		assert_int_equal(odd_name_is(cases[i].name, cases[i].kind),
				 !str_equal(cases[i].name, cases[i].form));
		assert_true(str_is_utf8(form) && !str_has_control(form));
	}
	arena_free(a);
}

/* What nobody's name has as its form is read as well as it can be. */
static void test_read_others(void **state)
{
	struct arena *a = arena_new(1024);

	(void)state;
	check_same(odd_name_read(a, STR("‛"), ODD_NAME_KEY), STR("‛"));
	check_same(odd_name_read(a, STR("‛x"), ODD_NAME_KEY), STR("‛x"));
	check_same(odd_name_read(a, STR("‛Fx‛F"), ODD_NAME_KEY), STR("‛Fx‛F"));
	check_same(odd_name_read(a, STR("\xff␊"), ODD_NAME_KEY), STR("\xff\n"));
	arena_free(a);
}

/* Every name of one to three of these pieces has a form of its own that leads back to it. */
static void test_no_two_alike(void **state)
{
	static const struct str pieces[] = { STR(""),   STR("a"),      STR("F"),    STR("\n"),
					     STR("␊"),  STR("‛"),      STR("\xff"), STR("\xe2"),
					     STR("\\"), STR("\uff3c"), STR("\x8a") };
	enum { PIECES = sizeof(pieces) / sizeof(pieces[0]) };
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < PIECES * PIECES * PIECES; i++) {
		struct buf *name = buf_new(a);
		enum odd_name_kind kind = i % 2 ? ODD_NAME_FILE : ODD_NAME_KEY;

		buf_add_str(name, pieces[i % PIECES]);
		buf_add_str(name, pieces[i / PIECES % PIECES]);
		buf_add_str(name, pieces[i / PIECES / PIECES]);
		check_same(odd_name_read(a, odd_name_form(a, buf_str(name), kind, MAX), kind),
			   buf_str(name));
	}
	arena_free(a);
}

static void test_long(void **state)
{
	struct arena *a = arena_new(1024);
	char text[2000];
	struct str whole = { text, MAX };
	struct str longer = { text, MAX + 1 };
	struct str form;

	(void)state;
	memset(text, 'x', sizeof(text));
	check_same(odd_name_form(a, whole, ODD_NAME_KEY, MAX), whole);
	form = odd_name_form(a, longer, ODD_NAME_KEY, MAX);
	assert_int_equal(form.len, MAX);
	assert_memory_equal(form.at, text, MAX - 35);
	assert_memory_equal(form.at + MAX - 35, "…", 3);
	check_same(odd_name_form(a, longer, ODD_NAME_KEY, MAX), form);
	/* what looks like that form has another one */
	assert_false(str_equal(odd_name_form(a, form, ODD_NAME_KEY, MAX), form));
	check_same(odd_name_form(a, form, ODD_NAME_KEY, MAX + 10), form);
	longer.len = sizeof(text);
	assert_false(str_equal(odd_name_form(a, longer, ODD_NAME_KEY, MAX), form));
	memset(text, '\n', sizeof(text)); /* no sign is torn */
	form = odd_name_form(a, longer, ODD_NAME_KEY, MAX);
	assert_true(form.len <= MAX && form.len > MAX - 3 && str_is_utf8(form));
	form = odd_name_form(a, longer, ODD_NAME_KEY, MAX + 1);
	assert_true(form.len <= MAX + 1 && str_is_utf8(form));
	arena_free(a);
}

static void test_texts(void **state)
{
	static const struct {
		struct str text;
		struct str form;
	} texts[] = {
		{ STR(""), STR("") },          { STR("two\nlines\t‛tis"), STR("two\nlines\t‛tis") },
		{ STR("abc\0"), STR("abc␀") }, { STR("\0‛tis\n"), STR("␀‛‛tis\n") },
		{ STR("␀"), STR("␀") },        { STR("␀\0"), STR("‛␀␀") },
		{ STR("‛\0"), STR("‛‛␀") },    { STR("‛␀"), STR("‛␀") },
		{ STR("␊"), STR("␊") },
	};
	struct arena *a = arena_new(1024);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		check_same(odd_text_form(a, texts[i].text), texts[i].form);
		check_same(odd_text_form(a, texts[i].form), texts[i].form);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),        cmocka_unit_test(test_read_others),
		cmocka_unit_test(test_no_two_alike), cmocka_unit_test(test_long),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
