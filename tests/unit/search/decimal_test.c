/* Numbers as the database compares them, though most are kept as doubles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decimal.h"

/* In order; what stands in one line is equal. */
static const char *const ordered[][4] = {
	{ "-1e400" },
	{ "-1e399" },
	{ "-12345678901234567891" },
	{ "-12345678901234567890", "-12345678901234567890.00", "-1.2345678901234567890e19" },
	{ "-1", "-1.0", "-10e-1", "-0.1E1" },
	{ "-1e-400" },
	{ "0", "-0", "0.000", "-0e9" },
	{ "1e-400", "0.1e-399" },
	{ "1e-399" },
	{ "0.1", "0.10", "1e-1", "10e-2" },
	{ "0.10000000000000000001" },
	{ "0.3" },
	{ "0.30000000000000004" },
	{ "1.5", "1.50", "15e-1" },
	{ "1000", "1e3", "1.000e+3" },
	{ "9007199254740992" },
	{ "9007199254740993" },
	{ "9007199254740994" },
	{ "12345678901234567890" },
	{ "12345678901234567891" },
	{ "1e308" },
	{ "1e399" },
	{ "1e400", "10e399" },
};
enum { LINES = sizeof(ordered) / sizeof(ordered[0]) };

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

static void check(const char *a, const char *b, int expected)
{
	struct decimal x = decimal_read(str_of(a));
	struct decimal y = decimal_read(str_of(b));

	if (sign(decimal_compare(&x, &y)) != expected)
		fail_msg("%s and %s compare as %d", a, b, decimal_compare(&x, &y));
	if (sign(decimal_compare_texts(str_of(a), str_of(b))) != expected)
		fail_msg("as texts %s and %s compare as %d", a, b,
			 decimal_compare_texts(str_of(a), str_of(b)));
}

static void they_are_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < LINES; i++) {
		for (size_t k = 0; k < LINES; k++) {
			for (size_t n = 0; n < 4 && ordered[i][n]; n++) {
				for (size_t m = 0; m < 4 && ordered[k][m]; m++)
					check(ordered[i][n], ordered[k][m], (i > k) - (i < k));
			}
		}
	}
}

static void one_number_has_one_text(void **state)
{
	static const struct {
		const char *read;
		const char *written;
		bool is_plain;
	} cases[] = {
		{ "1.0", "1", true },
		{ "1.50", "1.5", true },
		{ "-0.0", "0", true },
		{ "0.30000000000000004", "0.30000000000000004", true },
		{ "123456789012345678.00", "123456789012345678", false },
		{ "0.10000000000000000001000", "0.10000000000000000001", false },
		{ "9007199254740993", "9007199254740993", false },
		{ "100000000000000000000", "100000000000000000000", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d = decimal_read(str_of(cases[i].read));
		struct buf b = { 0 };

		decimal_write(&b, &d);
		buf_add_byte(&b, '\0');
		assert_int_equal(d.is_plain, cases[i].is_plain);
		assert_false(signbit(d.nearest) && d.nearest == 0);
		if (strtod(b.at, NULL) != strtod(cases[i].written, NULL) ||
		    (!d.is_plain && strcmp(b.at, cases[i].written) != 0))
			fail_msg("%s is written %s", cases[i].read, b.at);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_in_order),
		cmocka_unit_test(one_number_has_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
