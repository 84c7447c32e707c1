/*
 * Decimal to double. Digits become one 64-bit integer and a power of ten, which json_number_round.h
 * makes a double of; numbers it gives up on, and more than 19 significant digits, go to strtod,
 * which is exact and slow. The process stays in the C locale, so strtod reads a point as a point.
 */
#include "json_number.h"

#include <stdlib.h>
#include <string.h>

#include "json_number_round.h"

enum {
	MAX_DIGITS = 19, /* that surely fit 64 bits */
	/* No body has so many digits, which an exponent may compensate: 0.000…1e1000000. */
	EXPONENT_ENOUGH = 100000000,
};

struct decimal {
	uint64_t digits;
	int exponent;
	bool negative;
	bool truncated; /* more digits than `digits` holds */
	bool integer;
};

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* Eight digits at once, in the manner of SIMD within a register; little-endian machines only. */
static inline bool read_eight_digits(const char *p, uint64_t *ret_value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (((v & 0xf0f0f0f0f0f0f0f0) | (((v + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) !=
	    0x3333333333333333)
		return false;
	v = (v & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
	v = (v & 0x00ff00ff00ff00ff) * 6553601 >> 16;
	*ret_value = (v & 0x0000ffff0000ffff) * 42949672960001 >> 32;
	return true;
#else
	(void)p;
	(void)ret_value;
	return false;
#endif
}

static inline const char *read_digits(const char *p, uint64_t *digits)
{
	uint64_t eight;

	while (read_eight_digits(p, &eight)) {
		*digits = *digits * 100000000 + eight;
		p += 8;
	}
	for (; is_digit(*p); p++)
		*digits = *digits * 10 + (uint64_t)(*p - '0');
	return p;
}

/* Digits from the first that is not zero: the significant ones of a mantissa. */
static bool has_too_many_digits(const char *first, const char *after)
{
	long count = 0;

	for (const char *p = first; p < after; p++) {
		if (is_digit(*p) && (count || *p != '0'))
			count++;
	}
	return count > MAX_DIGITS;
}

static const char *read_exponent(const char *p, int *exponent)
{
	bool negative = *p == '-';
	int value = 0;

	if (*p == '-' || *p == '+')
		p++;
	if (!is_digit(*p))
		return NULL;
	for (; is_digit(*p); p++) {
		if (value < EXPONENT_ENOUGH)
			value = value * 10 + (*p - '0');
	}
	*exponent += negative ? -value : value;
	return p;
}

static inline const char *read_decimal(const char *p, struct decimal *d)
{
	const char *first;
	const char *point;

	d->negative = *p == '-';
	p += d->negative;
	first = p;
	if (!is_digit(*p))
		return NULL;
	p = *p == '0' ? p + 1 : read_digits(p, &d->digits);
	d->integer = *p != '.' && (*p | 0x20) != 'e';
	if (*p == '.') {
		point = p++;
		p = read_digits(p, &d->digits);
		if (p == point + 1)
			return NULL;
		d->exponent = -(int)(p - point - 1);
	}
	if (p - first > MAX_DIGITS)
		d->truncated = has_too_many_digits(first, p);
	if ((*p | 0x20) == 'e')
		return read_exponent(p + 1, &d->exponent);
	return p;
}

const char *json_number_read(const char *text, struct json_number *ret_number)
{
	struct decimal d = { 0 };
	const char *end = read_decimal(text, &d);
	double value = 0;

	if (!end)
		return NULL;
	ret_number->form = JSON_NUMBER_REAL;
	if (d.integer)
		ret_number->form = d.truncated || d.digits > (uint64_t)JSON_INTEGER_EXACT
					   ? JSON_NUMBER_BIG_INTEGER
					   : JSON_NUMBER_INTEGER;
	if (d.truncated || !json_number_round(d.digits, d.exponent, &value)) {
		ret_number->value = strtod(text, NULL);
		return end;
	}
	ret_number->value = d.negative ? -value : value;
	return end;
}
