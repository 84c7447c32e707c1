#ifndef CELLS_COMPARE_H
#define CELLS_COMPARE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cell.h"

/* For 64 cells: those that the condition holds for, and those to be checked one by one. */
struct holding {
	uint64_t holds;
	uint64_t others;
};

/*
 * Finds doubles above or below a bound, or equal to it, too, without a branch. A tagged cell is
 * NaN, for which no comparison holds: those are the others.
 */
#ifdef __SSE2__
static inline struct holding cells_compare(const cell *cells, double bound, bool below, bool equal)
{
	const __m128d b = _mm_set1_pd(bound);
	const __m128d sign =
		_mm_castsi128_pd(_mm_set1_epi64x(below ? (long long)(UINT64_C(1) << 63) : 0));
	const __m128d or_equal = _mm_castsi128_pd(_mm_set1_epi64x(equal ? -1 : 0));
	const __m128d signed_bound = _mm_xor_pd(b, sign);
	struct holding h = { 0, 0 };

	for (unsigned i = 0; i < 64; i += 2) {
		__m128d v = _mm_loadu_pd((const double *)(const void *)(cells + i));
		__m128d more = _mm_cmpgt_pd(_mm_xor_pd(v, sign), signed_bound);
		__m128d same = _mm_and_pd(_mm_cmpeq_pd(v, b), or_equal);

		h.holds |= (uint64_t)_mm_movemask_pd(_mm_or_pd(more, same)) << i;
		h.others |= (uint64_t)_mm_movemask_pd(_mm_cmpunord_pd(v, v)) << i;
	}
	return h;
}
#else
static inline struct holding cells_compare(const cell *cells, double bound, bool below, bool equal)
{
	const double sign = below ? -1 : 1;
	struct holding h = { 0, 0 };

	for (unsigned i = 0; i < 64; i++) {
		double value = cell_double(cells[i]);

		h.holds |= (uint64_t)((value * sign > bound * sign) | (equal & (value == bound)))
			   << i;
		h.others |= (uint64_t)(value != value) << i;
	}
	return h;
}
#endif

#endif
