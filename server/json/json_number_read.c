/*
 * Decimal to double. Digits become one 64-bit integer w and a power of ten q. Then, in this order:
 * w and 10^q both exact in a double, so one multiplication or division rounds once (Clinger 1990);
 * the product of w with the upper 128 bits of 10^q, whose error is too small to matter nearly
 * always (Eisel and Lemire 2020, in the form that proves itself and gives up when in doubt); else
 * strtod, which is exact and slow: halfway cases, subnormals, more than 19 digits that matter. The
 * process stays in the C locale, so strtod reads a point as a point.
 */
#include "json_number.h"

#include <stdlib.h>
#include <string.h>

#include "json_number_powers.h"

enum {
	MAX_DIGITS = 19, /* that surely fit 64 bits */
	/* More than any body has digits, which an exponent may undo: 0.000…1e1000000. */
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

/* Digits from the first that is not zero: how many of a mantissa matter. */
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

static bool multiply_exactly(const struct decimal *d, double *ret_value)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

	if (d->digits > (uint64_t)JSON_INTEGER_EXACT || d->exponent < -22 || d->exponent > 22)
		return false;
	if (d->exponent < 0)
		*ret_value = (double)d->digits / powers[-d->exponent];
	else
		*ret_value = (double)d->digits * powers[d->exponent];
	return true;
}

/* The product's upper 128 bits; false when the part left out could change the result. */
static bool multiply_by_power(uint64_t w, int q, uint64_t *ret_high, uint64_t *ret_low)
{
	const struct json_power *power = &json_powers[q - JSON_POWER_MIN];
	unsigned __int128 x = (unsigned __int128)w * power->high;

	if (((uint64_t)(x >> 64) & 0x1ff) == 0x1ff && (uint64_t)x + w < w) {
		unsigned __int128 y = (unsigned __int128)w * power->low;

		x += y >> 64;
		if (((uint64_t)(x >> 64) & 0x1ff) == 0x1ff && (uint64_t)x == UINT64_MAX &&
		    (uint64_t)y + w < w)
			return false;
	}
	*ret_high = (uint64_t)(x >> 64);
	*ret_low = (uint64_t)x;
	return true;
}

static bool round_product(const struct decimal *d, double *ret_value)
{
	int q = d->exponent;
	int zeros;
	uint64_t high, low, mantissa, bits;
	int64_t exponent;

	if (q < JSON_POWER_MIN || q > 308)
		return false;
	zeros = __builtin_clzll(d->digits);
	if (!multiply_by_power(d->digits << zeros, q, &high, &low))
		return false;
	mantissa = high >> ((high >> 63) + 9);
	if (low == 0 && (high & 0x1ff) == 0 && (mantissa & 3) == 1)
		return false; /* exactly between two doubles, perhaps */
	exponent = ((217706 * (int64_t)q) >> 16) + 63 + 1023 - zeros + (int64_t)(high >> 63);
	mantissa = (mantissa + (mantissa & 1)) >> 1;
	if (mantissa >> 53) {
		mantissa >>= 1;
		exponent++;
	}
	if (exponent <= 0 || exponent >= 0x7ff)
		return false;
	bits = (uint64_t)exponent << 52 | (mantissa & 0xfffffffffffff);
	memcpy(ret_value, &bits, sizeof(bits));
	return true;
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
	if (d.truncated ||
	    (!multiply_exactly(&d, &value) && (d.digits == 0 || !round_product(&d, &value)))) {
		ret_number->value = strtod(text, NULL);
		return end;
	}
	ret_number->value = d.negative ? -value : value;
	return end;
}
