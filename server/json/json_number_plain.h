#ifndef JSON_NUMBER_PLAIN_H
#define JSON_NUMBER_PLAIN_H

#include "json_bytes.h"
#include "json_number_round.h"

/*
 * Reads the numbers that metrics are made of, inline for the row scanner: up to 19 digits that
 * matter, up to three of an exponent. NULL for everything else, valid or not: not a number, an
 * integer beyond 2^53, one whose rounding is in doubt. json_number_read() then decides.
 *
 * Sixteen bytes before the number and after it must be readable. It is written to be in registers when it
 * is inlined at one place: a struct returned through memory takes as long as the rest.
 */
/* 10^count, of what json_bytes_digits() counts. */
static inline uint64_t json_plain_power(unsigned count)
{
	static const uint64_t powers[] = { 1,
					   10,
					   100,
					   1000,
					   10000,
					   100000,
					   1000000,
					   10000000,
					   100000000,
					   1000000000,
					   10000000000,
					   100000000000,
					   1000000000000,
					   10000000000000,
					   100000000000000,
					   1000000000000000,
					   10000000000000000 };

	return powers[count];
}

static inline bool json_plain_is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* One digit and what follows it; NULL: 17 and more, or a zero in front. */
static inline const char *json_plain_whole(const char *p, uint64_t *ret_value)
{
	uint64_t more;
	unsigned count;

	*ret_value = (uint64_t)(*p++ - '0');
	if (!json_plain_is_digit(*p))
		return p;
	count = json_bytes_digits(p, &more);
	if (*ret_value == 0 || count == 16)
		return NULL;
	*ret_value = *ret_value * json_plain_power(count) + more;
	return p + count;
}

/* Reads the digits after the point; `w` gets them appended. */
static inline const char *json_plain_fraction(const char *p, uint64_t *w)
{
	uint64_t more;
	unsigned count = json_bytes_digits(p, &more);

	*w = *w * json_plain_power(count) + more;
	p += count;
	if (count < 16)
		return count ? p : NULL;
	for (; json_plain_is_digit(*p); p++)
		*w = *w * 10 + (uint64_t)(*p - '0');
	return p;
}

static inline const char *json_plain_exponent(const char *p, int *q)
{
	bool negative = *p == '-';
	uint64_t value;
	unsigned count;

	p += negative || *p == '+';
	count = json_bytes_digits(p, &value);
	if (count == 0 || count > 3)
		return NULL;
	*q += negative ? -(int)value : (int)value;
	return p + count;
}

/* Whether all digits of 0.000123 fit 64 bits, which zeros in front do not fill. */
static inline bool json_plain_fits(const char *first, const char *end)
{
	long count = end - first - 1;

	for (; count > 19 && (*first == '0' || *first == '.'); first++)
		count -= *first == '0';
	return count <= 19;
}

static inline const char *json_plain_read(const char *p, double *ret_value, bool *ret_integer)
{
	bool negative = *p == '-';
	bool integer = true;
	const char *first = p + negative;
	const char *point;
	uint64_t w;
	double value;
	int q = 0;

	if (!json_plain_is_digit(*first))
		return NULL;
	p = json_plain_whole(first, &w);
	if (!p)
		return NULL;
	if (*p == '.') {
		integer = false;
		point = p;
		p = json_plain_fraction(p + 1, &w);
		if (!p || !json_plain_fits(first, p))
			return NULL;
		q = (int)(point + 1 - p);
	}
	if ((*p | 0x20) == 'e') {
		integer = false;
		p = json_plain_exponent(p + 1, &q);
		if (!p)
			return NULL;
	}
	if (integer && w > (uint64_t)JSON_INTEGER_EXACT)
		return NULL;
	if (!json_number_round(w, q, &value))
		return NULL;
	*ret_value = negative ? -value : value;
	*ret_integer = integer;
	return p;
}

#endif
