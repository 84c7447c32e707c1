#ifndef JSON_BYTES_H
#define JSON_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Many bytes at once, for the scanner: sixteen with SSE2, which every x86-64 has, else eight in a
 * register. Each function exists in both forms, and CAIRN_SCALAR chooses the second everywhere: tests
 * build the scanner both ways and compare. Rejected: choosing at run time by what the processor has;
 * with wider registers keys and numbers, which are short, gain nothing.
 *
 * 16 bytes after the text must be readable, which json_scan.h guarantees
 * for a body. A zero byte stops every loop.
 */
#if defined(__SSE2__) && !defined(CAIRN_SCALAR)
#define JSON_BYTES_SSE2 1
#include <emmintrin.h>
#else
#define JSON_BYTES_SSE2 0
#endif

static inline bool json_bytes_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

#if JSON_BYTES_SSE2

static inline __m128i json_bytes_load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* The first quote, backslash or control character from `p` on; there always is one. */
static inline const char *json_bytes_string_stop(const char *p)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i escape = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i x = json_bytes_load(p);
		__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, escape));
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, control), x);
		int mask = _mm_movemask_epi8(_mm_or_si128(stop, low));

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
}

/* The first byte from `p` on that is not a blank. */
static inline const char *json_bytes_after_blanks(const char *p)
{
	for (;; p += 16) {
		__m128i x = json_bytes_load(p);
		__m128i a = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')),
					 _mm_cmpeq_epi8(x, _mm_set1_epi8('\n')));
		__m128i b = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\t')),
					 _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')));
		int mask = _mm_movemask_epi8(_mm_or_si128(a, b));

		if (mask != 0xffff)
			return p + __builtin_ctz(~(unsigned)mask);
	}
}

/* Whether `len` bytes, one at least, are the same; none of those of `b` may be zero. */
static inline bool json_bytes_same(const char *a, const char *b, size_t len)
{
	unsigned differ;

	for (; len > 16; a += 16, b += 16, len -= 16) {
		if (_mm_movemask_epi8(_mm_cmpeq_epi8(json_bytes_load(a), json_bytes_load(b))) !=
		    0xffff)
			return false;
	}
	differ = ~(unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(json_bytes_load(a), json_bytes_load(b)));
	return !(differ << (32 - len));
}

/*
 * How many of the sixteen bytes at `p` are digits, from the first on, and the number that they are.
 * The sixteen bytes before `p` are read too, so that the last digit is always in the same place.
 */
static inline unsigned json_bytes_digits(const char *p, uint64_t *ret_value)
{
	static const unsigned char keep[32] = { [16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
						0xff,        0xff, 0xff, 0xff, 0xff, 0xff,
						0xff,        0xff, 0xff, 0xff };
	const __m128i zero = _mm_set1_epi8('0');
	__m128i x = _mm_sub_epi8(json_bytes_load(p), zero);
	__m128i good = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(9)), x);
	unsigned count = (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(good));
	uint64_t halves;

	x = _mm_sub_epi8(json_bytes_load(p + count - 16), zero);
	x = _mm_and_si128(x, json_bytes_load((const char *)keep + count));
	x = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(x, _mm_set1_epi16(0xff)),
					  _mm_set1_epi16(10)),
			  _mm_srli_epi16(x, 8));              /* eight times two digits */
	x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100)); /* four times four */
	x = _mm_packs_epi32(x, x);
	x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 10000)); /* twice eight */
	halves = (uint64_t)_mm_cvtsi128_si64(x);
	*ret_value = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
	return count;
}

#else /* eight bytes in a register; the first is the lowest */

static inline uint64_t json_bytes_load(const char *p)
{
	uint64_t eight;

	memcpy(&eight, p, sizeof(eight));
	return le64toh(eight);
}

/* High bits set in the bytes that are zero, exact up to the first of them. */
static inline uint64_t json_bytes_zeros(uint64_t x)
{
	return (x - 0x0101010101010101) & ~x & 0x8080808080808080;
}

static inline const char *json_bytes_string_stop(const char *p)
{
	for (;; p += 8) {
		uint64_t x = json_bytes_load(p);
		uint64_t stop = json_bytes_zeros(x ^ 0x2222222222222222) | /* '"' */
				json_bytes_zeros(x ^ 0x5c5c5c5c5c5c5c5c) | /* '\\' */
				json_bytes_zeros(x & 0xe0e0e0e0e0e0e0e0);

		if (stop)
			return p + __builtin_ctzll(stop) / 8;
	}
}

static inline const char *json_bytes_after_blanks(const char *p)
{
	while (json_bytes_is_blank(*p))
		p++;
	return p;
}

static inline bool json_bytes_same(const char *a, const char *b, size_t len)
{
	for (; len > 8; a += 8, b += 8, len -= 8) {
		if (json_bytes_load(a) != json_bytes_load(b))
			return false;
	}
	return !((json_bytes_load(a) ^ json_bytes_load(b)) << (64 - 8 * len));
}

static inline uint64_t json_bytes_eight_digits(uint64_t x)
{
	x = (x & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
	x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
	return (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

/* Not zero in the first byte that is not a digit, zero in those before it. */
static inline uint64_t json_bytes_no_digits(uint64_t x)
{
	const uint64_t high = 0xf0f0f0f0f0f0f0f0, digit = 0x3030303030303030;

	return ((x & high) ^ digit) | (((x + 0x0606060606060606) & high) ^ digit);
}

static inline unsigned json_bytes_digits(const char *p, uint64_t *ret_value)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	uint64_t value = 0;
	unsigned done = 0;

	for (; done < 16; done += 8) {
		uint64_t x = json_bytes_load(p + done);
		uint64_t other = json_bytes_no_digits(x);
		unsigned count;

		if (!other) {
			value = value * 100000000 + json_bytes_eight_digits(x);
			continue;
		}
		count = (unsigned)__builtin_ctzll(other) / 8;
		x = x << (8 * (7 - count)) << 8; /* zeros in front; also when there is no digit */
		value = value * powers[count] + json_bytes_eight_digits(x);
		done += count;
		break;
	}
	*ret_value = value;
	return done;
}

#endif
#endif
