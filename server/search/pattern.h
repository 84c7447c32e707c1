#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "filter.h"

/*
 * The expressions and free words of one filter, by PCRE2. Every match ends
 * soon: the length of an expression, its steps at each offset of a text,
 * and the time of all of them together are bounded.
 */
enum {
	PATTERN_STEPS_MAX = 20000, /* tries at one offset of a text */
	PATTERN_DEPTH_MAX = 1000,
	PATTERN_HEAP_KIB = 4096,
	PATTERN_SLICE = 256,    /* offsets between two checks of the clock */
	PATTERN_TIME_MS = 2000, /* of CPU, for all matching of one query */
	PATTERN_SHORT = 64,     /* bytes of a text that is tried, */
	PATTERN_SHORT_STEPS = 100,
};

struct patterns;

/* ERR_INVALID with field "filter" for an invalid expression. They end with the arena. */
err_t patterns_new(struct arena *a, const struct filter_node *filter, int64_t deadline_us,
		   struct patterns **ret_patterns) __attribute__((nonnull, warn_unused_result));

/* How many there are; `node` of number i. */
size_t patterns_count(const struct patterns *p) __attribute__((nonnull));
const struct filter_node *patterns_node(const struct patterns *p, size_t i)
	__attribute__((nonnull));

/* Matches a text if that takes microseconds; false: it is long, or needs more tries. */
bool patterns_try(struct patterns *p, size_t i, struct str text, bool *ret_matches)
	__attribute__((nonnull));

/*
 * Whether the text matches. Once a limit is reached all calls return
 * false, and patterns_error() has the reason: ERR_UNPROCESSABLE for an
 * expression that costs too much, ERR_TIMEOUT after the deadline.
 */
bool patterns_match(struct patterns *p, size_t i, struct str text) __attribute__((nonnull));
/*
 * Whether there is time left, checked now and then when texts are matched;
 * if not, there is an error.
 */
bool patterns_look(struct patterns *p) __attribute__((nonnull));
err_t patterns_error(const struct patterns *p) __attribute__((nonnull, warn_unused_result));

#endif
