/* Numbers: as strtod reads them, and as short as they can be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_number.h"

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void assert_same_bits(const char *text, double a, double b)
{
	if (memcmp(&a, &b, sizeof(a)) != 0)
		fail_msg("%s: %a is not %a", text, a, b);
}

static void reads_as_strtod(const char *text)
{
	struct json_number n;
	char padded[512] = "";
	const char *end;

	snprintf(padded, sizeof(padded) - 16, "%s", text);
	end = json_number_read(padded, &n);
	assert_non_null(end);
	assert_int_equal(*end, '\0');
	assert_same_bits(text, n.value, strtod(text, NULL));
}

static void hard_numbers_are_read_exactly(void **state)
{
	static const char *const cases[] = {
		"0",
		"-0",
		"0.0",
		"-0.0e7",
		"1",
		"-1",
		"0.1",
		"123456789",
		"1e22",
		"1e23",
		"1e-22",
		"9007199254740991",
		"9007199254740992",
		"9007199254740993",
		"9007199254740993.0001",
		"18446744073709551615",
		"18446744073709551616",
		"99999999999999999999999999999999",
		"2.2250738585072011e-308",
		"2.2250738585072014e-308",
		"4.9406564584124654e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"1.7976931348623157e308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"1e309",
		"1e99999999999",
		"1e-400",
		"0e99999999",
		"6.631236846766476e-316",
		"3.2378839133029012895883523125e-319",
		"1.00000000000000011102230246251565404236316680908203125",
		"1.00000000000000011102230246251565404236316680908203124",
		"1.00000000000000011102230246251565404236316680908203126",
		"0.00000000000000000000000000000000000000000000123456789012345678",
		"8.533e+68",
		"7.8459735791271921e+65",
		"0.30000001192092896",
		"1763725574.1234567",
		"5e-324",
		"1E5",
		"1e+5",
		"1.5E-3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		reads_as_strtod(cases[i]);
}

/* A long exponent that a long fraction undoes, or does not. */
static void long_exponents_are_read_exactly(void **state)
{
	static const struct {
		size_t zeros;
		const char *exponent;
	} cases[] = { { 99999, "e100000" }, { 99999, "e1000000" }, { 999999, "e1000001" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = calloc(1, cases[i].zeros + 64);
		struct json_number n;

		assert_non_null(text);
		memcpy(text, "0.", 2);
		memset(text + 2, '0', cases[i].zeros);
		snprintf(text + 2 + cases[i].zeros, 32, "1%s", cases[i].exponent);
		assert_non_null(json_number_read(text, &n));
		assert_same_bits(cases[i].exponent, n.value, strtod(text, NULL));
		free(text);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const cases[] = { "",         "-",         "+1",  ".5",  "1.",
					     "1.e5",     "1e",        "1e+", "-.5", "NaN",
					     "Infinity", "-Infinity", "e5",  "x" };
	struct json_number n;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char padded[32] = "";

		memcpy(padded, cases[i], strlen(cases[i]));
		assert_null(json_number_read(padded, &n));
	}
}

static void whole_numbers_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum json_number_form form;
	} cases[] = {
		{ "0", JSON_NUMBER_INTEGER },
		{ "-17", JSON_NUMBER_INTEGER },
		{ "17.0", JSON_NUMBER_REAL },
		{ "1e3", JSON_NUMBER_REAL },
		{ "9007199254740992", JSON_NUMBER_INTEGER },
		{ "9007199254740993", JSON_NUMBER_BIG_INTEGER },
		{ "-9007199254740993", JSON_NUMBER_BIG_INTEGER },
		{ "123456789012345678901234567890", JSON_NUMBER_BIG_INTEGER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char padded[64] = "";
		struct json_number n;

		memcpy(padded, cases[i].text, strlen(cases[i].text));
		assert_non_null(json_number_read(padded, &n));
		assert_int_equal(n.form, cases[i].form);
	}
}

static void numbers_are_written_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ -0.0, "-0" },
		{ 1, "1" },
		{ -100, "-100" },
		{ 0.1, "0.1" },
		{ 1.5, "1.5" },
		{ 1e16, "10000000000000000" },
		{ 99999999999999984, "99999999999999980" },
		{ 1e17, "1e17" },
		{ 1.2345678901234568e17, "1.2345678901234568e17" },
		{ 1e-5, "0.00001" },
		{ 1.5e-7, "1.5e-7" },
		{ 5e-324, "5e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e308" },
		{ (double)0.3f, "0.30000001192092896" },
		{ 1e23, "1e23" },
		{ __builtin_nan(""), "NaN" },
		{ __builtin_inf(), "Infinity" },
		{ -__builtin_inf(), "-Infinity" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[JSON_NUMBER_TEXT_SIZE];
		size_t len = json_number_write(cases[i].value, text);

		text[len] = '\0';
		assert_string_equal(text, cases[i].text);
	}
}

/* Random bits, random digits and random decimals; tests/load/series_bench does millions. */
static void random_numbers_survive_both_ways(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint64_t bits = next_random(&random);
		char text[64];
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (i % 3 == 1)
			value = (double)(float)((double)bits / 1e19);
		if (!__builtin_isfinite(value))
			continue;
		if (i % 3 == 2)
			snprintf(text, sizeof(text), "%llue%d",
				 (unsigned long long)(bits >> i % 60), (int)(bits % 660) - 340);
		else
			snprintf(text, sizeof(text), "%.*g", 1 + i % 19, value);
		reads_as_strtod(text);
		text[json_number_write(value, text)] = '\0';
		assert_same_bits(text, strtod(text, NULL), value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_numbers_are_read_exactly),
		cmocka_unit_test(long_exponents_are_read_exactly),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(whole_numbers_are_told_apart),
		cmocka_unit_test(numbers_are_written_short),
		cmocka_unit_test(random_numbers_survive_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
