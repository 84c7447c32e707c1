#ifndef LINE_MATCH_H
#define LINE_MATCH_H

#include "buf.h"
#include "str.h"

struct line_regex;

/*
 * Whether a console line, as people see it, contains a plain text or matches a regular expression:
 * colours and other terminal sequences are skipped, unless the text itself has an escape. Only
 * ASCII letters of a plain text can match in either case.
 */
enum line_match_case { LINE_MATCH_EXACT, LINE_MATCH_EITHER_CASE };

struct line_match {
	struct str text; /* in lower case if case is ignored */
	enum line_match_case letters;
	bool has_escape;
	struct line_regex *regex; /* instead of the text; NULL: none */
	struct buf scratch;
};

/* Freed with the arena. */
void line_match_init(struct line_match *match, struct arena *a, struct str text,
		     enum line_match_case letters) __attribute__((nonnull));

/* The same for a regular expression, which must live as long as it is used. */
void line_match_init_regex(struct line_match *match, struct arena *a, struct line_regex *regex)
	__attribute__((nonnull));

bool line_match_is_in(struct line_match *match, struct str line) __attribute__((nonnull));

/* Appends the line without its terminal sequences. */
void line_add_plain(struct buf *out, struct str line) __attribute__((nonnull));

#endif
