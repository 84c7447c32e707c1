#ifndef STR_H
#define STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Bytes with a length, not owned; not ended by NUL unless a function says so. */
struct str {
	const char *at;
	size_t len;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
/* For printf: printf("%.*s", STR_ARG(s)) */
#define STR_ARG(s) (int)(s).len, (s).at

struct str str_of(const char *text); /* NULL gives the empty str */
bool str_equal(struct str a, struct str b);
bool str_is(struct str s, const char *text);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
int str_compare(struct str a, struct str b); /* byte order, then length */

/* FNV-1a: of the text, or, from another hash on, of both together. The same on every machine. */
#define STR_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t str_hash(uint64_t from, struct str s);

/* A copy in the arena, ended by NUL. */
char *str_copy(struct arena *a, struct str s);

/* The part before the first `sep`; *s becomes the rest after it (empty when there is none). */
struct str str_cut(struct str *s, char sep);
struct str str_trim(struct str s); /* blanks and tabs and line ends, both sides */

/* Whole text is one decimal number within the bounds. */
bool str_to_int64(struct str s, int64_t min, int64_t max, int64_t *ret_value);
bool str_to_double(struct str s, double *ret_value);

/* Well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, up to U+10FFFF). */
bool str_is_utf8(struct str s);
/* The length of the well-formed sequence that begins at p, 0 if none does. */
size_t str_utf8_sequence(const char *p, size_t left);
/* The beginning: at most `max` bytes, no character cut. */
struct str str_head(struct str s, size_t max);
/* The number of characters (code points, as Python's len() counts) of well-formed UTF-8. */
size_t str_characters(struct str s);
/* The beginning of well-formed UTF-8: at most `max` characters. */
struct str str_head_characters(struct str s, size_t max);
/* Has a byte below 0x20, or 0x7f. */
bool str_has_control(struct str s);

#endif
