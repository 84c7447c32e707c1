#ifndef NEEDLE_H
#define NEEDLE_H

#include <stdbool.h>

#include "filter.h"

/*
 * Decides about a text without matching it, if possible: most texts lack a piece that every match
 * has, and free words are only such a piece. If case is ignored, only ASCII texts are judged:
 * beyond it PCRE2 knows letters that are the same.
 */
enum needle_verdict {
	NEEDLE_UNKNOWN, /* it has to be matched */
	NEEDLE_NO,
	NEEDLE_YES,
};

struct needle {
	struct str piece; /* empty: there is none; in small letters where either case will do */
	bool either_case;
	bool is_first; /* a match begins with it, and the text does */
	bool is_all;   /* a text that has it matches */
};

/* For an expression or free words; the piece is the arena's. */
struct needle needle_of(struct arena *a, const struct filter_node *node) __attribute__((nonnull));

enum needle_verdict needle_look(const struct needle *n, struct str text) __attribute__((nonnull));

#endif
