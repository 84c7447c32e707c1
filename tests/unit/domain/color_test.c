/* Colours of runs: which slot, and what is a colour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "color.h"

static void slots_are_given_in_turn(void **state)
{
	(void)state;
	assert_int_equal(color_slot(0), 0);
	assert_int_equal(color_slot(COLOR_SLOTS - 1), COLOR_SLOTS - 1);
	assert_int_equal(color_slot(COLOR_SLOTS), 0);
	assert_in_range(color_slot(INT32_MAX), 0, COLOR_SLOTS - 1);
}

static void what_is_a_colour(void **state)
{
	static const struct {
		const char *text;
		const char *kept; /* NULL: refused */
	} cases[] = {
		{ "#000000", "#000000" },
		{ "#1F77b4", "#1f77b4" },
		{ "#AFafAF", "#afafaf" },
		{ "#1F77b4-dash", "#1f77b4-dash" },
		{ "#1f77b4-dot", "#1f77b4-dot" },
		{ "slot-0", "slot-0" },
		{ "slot-23", "slot-23" },
		{ "slot-24", NULL },
		{ "slot-05", NULL },
		{ "slot-", NULL },
		{ "Slot-1", NULL },
		{ "#1f77b4-line", NULL },
		{ "#1f77b4-", NULL },
		{ "#1f77b4-DASH", NULL },
		{ "#1f77b4-dashed", NULL },
		{ "slot-5-dash", NULL },
		{ "", NULL },
		{ "#", NULL },
		{ "#12345", NULL },
		{ "#1234567", NULL },
		{ "1234567", NULL },
		{ "#12345g", NULL },
		{ "#12345G", NULL },
		{ "#12345/", NULL },
		{ "#12345:", NULL },
		{ "#12345@", NULL },
		{ "#12345`", NULL },
		{ "# 12345", NULL },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str color = STR("as before");
		bool is_one = color_parse(a, str_of(cases[i].text), &color);

		assert_int_equal(is_one, cases[i].kept != NULL);
		assert_true(str_is(color, cases[i].kept ? cases[i].kept : "as before"));
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_given_in_turn),
		cmocka_unit_test(what_is_a_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
