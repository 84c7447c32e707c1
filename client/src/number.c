#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A longer whole number would be read as an integer that a double cannot hold. */
#define PLAIN_DIGITS 15

size_t number_format(double number, char text[static NUMBER_TEXT_MAX])
{
	if (number == 0 && signbit(number)) {
		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
		memcpy(text, "-0.0",
		       4); /* "-0" would be read as an integer, which has no sign then */
		return 4;
	}
	return number_write(number, PLAIN_DIGITS, text);
}

/* strtod with a dot, whatever the host process has set. */
static double parse_digits(const char *text, char **ret_end)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double number;

	if (!plain) {
		*ret_end = NULL;
		return 0;
	}
	number = strtod_l(text, ret_end, plain);
	freelocale(plain);
	return number;
}

bool number_parse(const char *text, size_t length, double *ret_number)
{
	char copy[512], *end;
	double number;

	if (length == 0 || length >= sizeof copy || memchr(text, 'x', length) ||
	    memchr(text, 'X', length) || !strchr("-0123456789NI", text[0]))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	number = parse_digits(copy, &end);
	if (end != copy + length)
		return false;
	*ret_number = number;
	return true;
}
