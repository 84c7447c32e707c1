/* decimal.c - see decimal.h. */
#include "decimal.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define MANTISSA_MAX ((UINT64_MAX - 9) / 10)
#define EXPONENT_MAX 400 /* beyond it every number is infinite or 0 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits that no longer fit into the mantissa only count. */
static const char *read_digits(const char *at, uint64_t *mantissa, int *dropped, int *count)
{
	for (; is_digit(*at); at++, ++*count) {
		if (*mantissa <= MANTISSA_MAX && *dropped == 0)
			*mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
		else
			++*dropped;
	}
	return at;
}

static const char *read_exponent(const char *at, int *exponent)
{
	const char *digits = at + 1;
	int sign = 1, number = 0;

	if (*at != 'e' && *at != 'E')
		return at;
	if (*digits == '+' || *digits == '-')
		sign = *digits++ == '-' ? -1 : 1;
	if (!is_digit(*digits))
		return at;
	for (; is_digit(*digits); digits++)
		number = number < EXPONENT_MAX ? number * 10 + (*digits - '0') : number;
	*exponent += sign * number;
	return digits;
}

/* Dividing by a power of ten that is exact rounds once; multiplying by its inverse would round
 * twice. */
static double scale(uint64_t mantissa, int exponent)
{
	if (exponent < 0 && exponent >= -22)
		return (double)mantissa / pow(10, -exponent);
	return (double)mantissa * pow(10, exponent);
}

bool decimal_read(const char **text, double *ret_number)
{
	const char *at = *text;
	bool is_negative = *at == '-';
	uint64_t mantissa = 0;
	int dropped = 0, count = 0;

	at += is_negative;
	at = read_digits(at, &mantissa, &dropped, &count);
	int exponent = dropped;
	if (count > 0 && *at == '.' && is_digit(at[1])) {
		int fraction = 0;
		at = read_digits(at + 1, &mantissa, &dropped, &fraction);
		exponent = dropped - fraction;
	}
	if (count == 0)
		return false;
	at = read_exponent(at, &exponent);
	*text = at;
	*ret_number = (is_negative ? -1 : 1) * scale(mantissa, exponent);
	return true;
}

bool decimal_with_unit(const char *text, double *ret_number, const char **ret_unit)
{
	while (*text == ' ' || *text == '\t')
		text++;
	if (!decimal_read(&text, ret_number))
		return false;
	while (*text == ' ' || *text == '\t')
		text++;
	if (ret_unit)
		*ret_unit = text;
	return true;
}
