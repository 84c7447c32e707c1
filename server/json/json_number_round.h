#ifndef JSON_NUMBER_ROUND_H
#define JSON_NUMBER_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "json_number.h"
#include "number_powers.h"

/*
 * w times 10^q as the nearest double, inside of the number readers. Two ways: w and 10^q both exact in a
 * double, so one multiplication or division rounds once (Clinger 1990); or the product of w with the upper
 * 128 bits of 10^q, whose error is too small to matter nearly always (Eisel and Lemire 2020, in the form
 * that proves itself and gives up when in doubt: halfway cases, subnormals).
 */

static inline bool json_number_exact(uint64_t w, int q, double *ret_value)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

	if (w > (uint64_t)JSON_INTEGER_EXACT || q < -22 || q > 22)
		return false;
	*ret_value = q < 0 ? (double)w / powers[-q] : (double)w * powers[q];
	return true;
}

/* The product's upper 128 bits; false when the part left out could change the result. */
static inline bool json_number_multiply(uint64_t w, int q, uint64_t *ret_high, uint64_t *ret_low)
{
	const struct number_power *power = &number_powers[q - NUMBER_POWER_MIN];
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

static inline bool json_number_product(uint64_t w, int q, double *ret_value)
{
	int zeros;
	uint64_t high, low, mantissa, bits;
	int64_t exponent;

	if (!w || q < NUMBER_POWER_MIN || q > 308)
		return false;
	zeros = __builtin_clzll(w);
	if (!json_number_multiply(w << zeros, q, &high, &low))
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

/*
 * False: in doubt. A measured double has 16 or 17 digits, some below 2^53 and some above: all of
 * them go the same way first, for an unpredictable branch costs more than either way.
 */
static inline bool json_number_round(uint64_t w, int q, double *ret_value)
{
	if (w < UINT64_C(1000000000000000) && json_number_exact(w, q, ret_value))
		return true;
	return json_number_product(w, q, ret_value) || json_number_exact(w, q, ret_value);
}

#endif
