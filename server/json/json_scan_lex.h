#ifndef JSON_SCAN_LEX_H
#define JSON_SCAN_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_bytes.h"
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

/* Most often there is no blank, or one. */
static inline const char *json_lex_blank(const char *p)
{
	if ((unsigned char)*p > ' ')
		return p;
	if (json_bytes_is_blank(*p) && (unsigned char)p[1] > ' ')
		return p + 1;
	return json_bytes_after_blanks(p);
}

/* `p` is after the opening quote; the result is after the closing one. NULL: see the fault. */
const char *json_lex_string(const char *p, bool *ret_escaped, struct json_lex_fault *ret_fault)
	__attribute__((nonnull));

/* NaN, Infinity or -Infinity at `p`: the byte after it, else NULL. */
const char *json_lex_nonfinite(const char *p, double *ret_value) __attribute__((nonnull));

/* The reason of a fault: the value has too many nested brackets. */
extern const char json_lex_too_deep[];

/* One value of any kind, at most `depth` brackets deep: the byte after it, NULL: see the fault. */
const char *json_lex_value(const char *p, unsigned depth, struct json_lex_fault *ret_fault)
	__attribute__((nonnull));

/*
 * Writes the string between quotes with its escapes undone, at most `s.len` bytes, to `to`; returns
 * how many. A surrogate without its partner becomes U+FFFD and sets *ret_lone.
 */
size_t json_lex_unescape(struct str s, char *to, bool *ret_lone) __attribute__((nonnull));
/* The same, but such a surrogate becomes the three bytes that it would have in UTF-8, which are not UTF-8. */
size_t json_lex_unescape_bytes(struct str s, char *to) __attribute__((nonnull));

#endif
