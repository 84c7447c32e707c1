#ifndef SERIES_DATA_H
#define SERIES_DATA_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "codec.h"

/* Numbers as trainings make them, the same in every run of a test. */
enum series_kind {
	SERIES_CONSTANT,
	SERIES_COUNTER,
	SERIES_ROUNDED, /* four decimals */
	SERIES_FLOAT,   /* a noisy loss, computed in float */
	SERIES_DOUBLE,
	SERIES_BFLOAT,
	SERIES_TIME,       /* seconds with six decimals */
	SERIES_HARD,       /* NaN, infinities, -0, subnormals, the largest */
	SERIES_LATE_NOISE, /* whole numbers, and one at the end that is not */
	SERIES_KINDS
};

static inline uint64_t series_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline double series_number(enum series_kind kind, uint32_t i, uint32_t count)
{
	static const double hard[] = { 0, -0.0, 5e-324, 1.7976931348623157e308, -1.5, 1e15, 0.1 };
	uint64_t state = i * 77 + (uint64_t)kind;
	double noise = (double)(series_random(&state) >> 11) * 0x1p-53;
	float f;
	uint32_t bits;

	switch (kind) {
	case SERIES_CONSTANT:
		return 0.1;
	case SERIES_COUNTER:
		return 4096.0 * i;
	case SERIES_ROUNDED:
		return round(noise * 1e4) / 1e4;
	case SERIES_FLOAT:
		return (double)(float)(2.5 * exp(-6.0 * i / count) + 0.1 * noise);
	case SERIES_BFLOAT:
		f = (float)(1 + noise);
		memcpy(&bits, &f, sizeof(bits));
		bits &= 0xffff0000;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	case SERIES_TIME:
		return 1763725574 + floor((0.35 * i + 0.01 * noise) * 1e6) / 1e6;
	case SERIES_HARD:
		if (i % 10 == 7)
			return (double)NAN;
		return i % 10 > 7 ? (i % 2 ? HUGE_VAL : -HUGE_VAL) : hard[i % 7];
	case SERIES_LATE_NOISE:
		return i + 1 == count ? 0.12345678901234567 : 3.0 * i;
	default:
		return noise;
	}
}

static inline bool series_same(const double *a, const double *b, uint32_t count)
{
	return count == 0 || memcmp(a, b, count * sizeof(*a)) == 0;
}

#endif
