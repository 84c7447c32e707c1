/*
 * Double to the shortest decimal, by Schubfach (Raffaello Giulietti, "The Schubfach way to render
 * doubles", 2021): the interval of decimals that read back as the double is scaled by one power of
 * ten so that it holds either one multiple of ten or a few neighbours; the choice is then between
 * four candidates. No loop over digits, no big numbers. Rejected: printing with 15, 16 and 17
 * digits until it reads back (seven times slower, and most of a JSON answer is numbers).
 */
#include "number_write.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "number_powers.h"

/* The quick way of whole numbers ends where the caller may want an exponent. */
#define WHOLE_END 1e15

enum { PLAIN_DIGITS_MAX = 17 };

struct decimal {
	uint64_t digits;
	int exponent; /* value = digits 10^exponent */
};

/* floor(log2(10^e)) for |e| < 1234 */
static int log2_of_power(int e)
{
	return (e * 1741647) >> 19;
}

/*
 * Upper 64 bits of g * cp, and a last bit that is set when anything was cut off. The theory asks
 * for the power rounded up.
 */
static uint64_t scale(const struct number_power *g, uint64_t cp)
{
	unsigned __int128 x = (unsigned __int128)g->low * cp;
	unsigned __int128 y = (unsigned __int128)g->high * cp + (x >> 64);

	return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

static struct number_power power_rounded_up(int q)
{
	struct number_power g = number_powers[q - NUMBER_POWER_MIN];

	if (q < 0 || q > NUMBER_POWER_EXACT_MAX) {
		g.low++;
		g.high += g.low == 0;
	}
	return g;
}

/* The value is c 2^q; `lopsided`: the next double below is only half as far as the one above. */
static struct decimal shortest(uint64_t c, int q, bool lopsided)
{
	int k = (q * 1262611 - (lopsided ? 524031 : 0)) >> 22;
	int h = q + log2_of_power(-k) + 1;
	struct number_power g = power_rounded_up(-k);
	uint64_t odd = c & 1; /* bounds belong to the interval when c is even */
	uint64_t lower = scale(&g, (4 * c - 2 + lopsided) << h) + odd;
	uint64_t middle = scale(&g, (4 * c) << h);
	uint64_t upper = scale(&g, (4 * c + 2) << h) - odd;
	uint64_t s = middle / 4;
	bool below, above, up;

	if (s >= 10) {
		uint64_t tens = s / 10;

		below = lower <= 40 * tens;
		above = 40 * tens + 40 <= upper;
		if (below != above)
			return (struct decimal){ tens + above, k + 1 };
	}
	below = lower <= 4 * s;
	above = 4 * s + 4 <= upper;
	if (below != above)
		return (struct decimal){ s + above, k };
	up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
	return (struct decimal){ s + up, k };
}

static struct decimal decimal_of(uint64_t bits)
{
	uint64_t fraction = bits & 0xfffffffffffff;
	int exponent = (int)(bits >> 52 & 0x7ff);
	struct decimal d;

	if (exponent)
		d = shortest(fraction | UINT64_C(1) << 52, exponent - 1075,
			     fraction == 0 && exponent > 1);
	else
		d = shortest(fraction, 1 - 1075, false);
	while (d.digits % 10 == 0) {
		d.digits /= 10;
		d.exponent++;
	}
	return d;
}

static size_t write_whole(char *text, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char digits[24];
	char *first = digits + sizeof(digits);
	size_t len;

	for (; value >= 100; value /= 100) {
		first -= 2;
		memcpy(first, pairs + 2 * (value % 100), 2);
	}
	if (value >= 10) {
		first -= 2;
		memcpy(first, pairs + 2 * value, 2);
	} else {
		*--first = (char)('0' + value);
	}
	len = (size_t)(digits + sizeof(digits) - first);
	memcpy(text, first, len);
	return len;
}

/* 1.25e-07 */
static size_t write_scientific(char *text, const char *digits, int count, int exponent)
{
	size_t len = 0;

	text[len++] = digits[0];
	if (count > 1) {
		text[len++] = '.';
		memcpy(text + len, digits + 1, (size_t)count - 1);
		len += (size_t)count - 1;
	}
	text[len++] = 'e';
	if (exponent < 0)
		text[len++] = '-';
	return len + write_whole(text + len, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

/* 125000, 12.5 or 0.00125: `point` digits come before the point. */
static size_t write_plain(char *text, const char *digits, int count, int point)
{
	size_t n = (size_t)count;

	if (point <= 0) {
		size_t zeros = (size_t)-point;

		memcpy(text, "0.00000000", 2 + zeros);
		memcpy(text + 2 + zeros, digits, n);
		return 2 + zeros + n;
	}
	if (point >= count) {
		memcpy(text, digits, n);
		memset(text + n, '0', (size_t)point - n);
		return (size_t)point;
	}
	memcpy(text, digits, (size_t)point);
	text[point] = '.';
	memcpy(text + point + 1, digits + point, n - (size_t)point);
	return n + 1;
}

static size_t write_finite(char *text, uint64_t bits, int plain_digits)
{
	struct decimal d = decimal_of(bits);
	char digits[24];
	size_t count = write_whole(digits, d.digits);
	int point = (int)count + d.exponent;
	bool is_whole = d.exponent >= 0;

	if (point > (is_whole ? plain_digits : PLAIN_DIGITS_MAX) || point < -4)
		return write_scientific(text, digits, (int)count, point - 1);
	return write_plain(text, digits, (int)count, point);
}

size_t number_write(double value, int plain_digits, char text[static NUMBER_TEXT_MAX])
{
	uint64_t bits;
	size_t sign;

	if (isnan(value))
		return (size_t)(stpcpy(text, "NaN") - text);
	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 63;
	text[0] = '-'; /* overwritten when it is not negative */
	if (isinf(value))
		return (size_t)(stpcpy(text + sign, "Infinity") - text);
	value = fabs(value);
	if (value < WHOLE_END && value == (double)(int64_t)value)
		return sign + write_whole(text + sign, (uint64_t)value);
	return sign + write_finite(text + sign, bits & INT64_MAX, plain_digits);
}

size_t number_write_int(int64_t value, char text[static NUMBER_TEXT_MAX])
{
	if (value >= 0)
		return write_whole(text, (uint64_t)value);
	text[0] = '-';
	return 1 + write_whole(text + 1, 0 - (uint64_t)value);
}
