#ifndef PATH_H
#define PATH_H

#include <stdbool.h>

#include "str.h"

struct arena;
struct buf;

/*
 * Percent-encoding, undone exactly once and one segment at a time: "a%2Fb"
 * is a value with a slash, never two segments.
 */
enum { PATH_MAX_BYTES = 20 << 10 }; /* of path and query: a filter of 16 KiB has room in it */

/*
 * The fault of a raw request target ("/a/b?x=1"), in words; NULL if it is valid: no leading slash,
 * too long, bad escapes, U+0000, bytes that are not UTF-8, a segment "..".
 */
const char *path_fault(struct arena *a, struct str target) __attribute__((nonnull));
/* Whether a segment of the raw path is ".": only names of files may be written so. */
bool path_has_dot(struct arena *a, struct str path) __attribute__((nonnull));

/* Decodes; false on a bad escape or a NUL. PATH_PLUS_IS_SPACE is for forms and queries. */
enum path_plus { PATH_PLUS_STAYS, PATH_PLUS_IS_SPACE };
bool path_decode(struct arena *a, struct str raw, enum path_plus plus, struct str *ret_text)
	__attribute__((nonnull, warn_unused_result));

/* RFC 3986, 2.3: escapes what is not plain; "/" stays. */
void path_encode(struct buf *b, struct str text) __attribute__((nonnull(1)));

/* The value of a name in a raw query; .at is NULL if it is missing. The first one counts. */
struct str path_query_find(struct arena *a, struct str query, struct str name);

#endif
