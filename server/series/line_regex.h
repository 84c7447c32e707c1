#ifndef LINE_REGEX_H
#define LINE_REGEX_H

#include <stdbool.h>

#include "err.h"
#include "str.h"

/*
 * A regular expression (PCRE2) for searching lines, with bounded effort: a line that takes too many
 * steps is given up, and counted.
 */
struct line_regex;

enum line_regex_case { LINE_REGEX_EXACT, LINE_REGEX_EITHER_CASE };

/* Ends with the arena. An invalid expression is an error of the field. */
err_t line_regex_new(struct arena *a, const char *field, struct str text,
		     enum line_regex_case letters, struct line_regex **ret_regex)
	__attribute__((warn_unused_result));

bool line_regex_is_in(struct line_regex *regex, struct str line) __attribute__((nonnull));
int64_t line_regex_given_up(const struct line_regex *regex) __attribute__((nonnull));

#endif
