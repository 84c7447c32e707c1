#ifndef MATCH_PREFILTER_H
#define MATCH_PREFILTER_H

#include <stdbool.h>

#include "filter.h"

/*
 * Decides about a text without matching it, if possible: most texts lack a piece that every match
 * has, and free words are only such a piece. If case is ignored, only ASCII texts are judged:
 * beyond it PCRE2 knows letters that are the same.
 */
enum prefilter_result {
	PREFILTER_UNKNOWN, /* it has to be matched */
	PREFILTER_NO,
	PREFILTER_YES,
};

struct match_prefilter {
	struct str piece; /* empty: there is none; in small letters where either case will do */
	bool either_case;
	bool is_first; /* a match begins with it, and the text does */
	bool is_all;   /* a text that has it matches */
};

/* For an expression or free words; the piece is the arena's. */
struct match_prefilter match_prefilter_of(struct arena *a, const struct filter_node *node)
	__attribute__((nonnull));

enum prefilter_result match_prefilter_look(const struct match_prefilter *n, struct str text)
	__attribute__((nonnull));

#endif
