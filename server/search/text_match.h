#ifndef TEXT_MATCH_H
#define TEXT_MATCH_H

#include <stdbool.h>

#include "pattern.h"

/*
 * A search in names and values, as a user types it: a text that they contain, in either case unless
 * it has a capital letter of A to Z; or /an expression/ as filters have it, /i for either case.
 */
struct text_match;

/* An empty text matches all. ERR_INVALID with the field for an invalid text or expression. */
err_t text_match_new(struct arena *a, const char *field, struct str text, int64_t deadline_us,
		     struct text_match **ret_match) __attribute__((nonnull, warn_unused_result));
bool text_match_is_all(const struct text_match *m) __attribute__((nonnull));
/* After an error nothing matches. */
bool text_match_is(struct text_match *m, struct str text) __attribute__((nonnull));
/* As patterns_error(). */
err_t text_match_error(const struct text_match *m) __attribute__((nonnull, warn_unused_result));

#endif
