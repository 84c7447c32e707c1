#ifndef JSON_SCAN_LEX_H
#define JSON_SCAN_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "str.h"

struct arena;

/*
 * The words of JSON over bare pointers, shared by the cursor and the row scanner. A zero byte stops
 * every loop, which is why the padding after a body suffices (json_scan.h).
 */
struct json_lex_fault {
	const char *at;
	const char *why; /* a constant */
};

static inline bool json_lex_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *json_lex_blank(const char *p)
{
	while (json_lex_is_blank(*p))
		p++;
	return p;
}

/* The first quote, backslash or control character from `p` on; there always is one. */
static inline const char *json_lex_string_stop(const char *p)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i escape = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, escape));
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(x, control), x);
		int mask = _mm_movemask_epi8(_mm_or_si128(stop, low));

		if (mask)
			return p + __builtin_ctz((unsigned)mask);
	}
#else
	while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
#endif
}

/* `p` is behind the opening quote; the answer is behind the closing one, NULL: see the fault. */
const char *json_lex_string(const char *p, bool *ret_escaped, struct json_lex_fault *ret_fault)
	__attribute__((nonnull));

/* NaN, Infinity or -Infinity at `p`: the byte after it, else NULL. */
const char *json_lex_nonfinite(const char *p, double *ret_value) __attribute__((nonnull));

/* One value of any kind, at most `depth` brackets deep: the byte after it, NULL: see the fault. */
const char *json_lex_value(const char *p, unsigned depth, struct json_lex_fault *ret_fault)
	__attribute__((nonnull));

/*
 * Writes the string between quotes with its escapes undone, at most `s.len` bytes, to `to`; returns
 * how many. A surrogate without its partner becomes U+FFFD and sets *ret_lone.
 */
size_t json_lex_unescape(struct str s, char *to, bool *ret_lone) __attribute__((nonnull));

#endif
