#ifndef MATCH_RESULTS_H
#define MATCH_RESULTS_H

#include "columns.h"
#include "pattern.h"
#include "match_cache.h"

/*
 * The results of one filter's expressions on the texts of columns. Matching can
 * take seconds, and a reader holding the columns blocks writers. So a filter that
 * meets a text without a result requests it, unless it can be matched at once,
 * and goes on as if it did not match; then the columns are unlocked, the texts
 * are matched, and the filter is walked again, until it has met nothing new:
 *
 *   lock -> match_results_begin -> the filter -> match_results_are_known? -> the answer -> unlock
 *     ^                                          | no
 *     +------ match_results_find <---- unlock --------+
 */
struct match_results;

/*
 * The lowest bit: it is known; the next: it matches. A requested result
 * counts as a no until it is found.
 */
enum match_result { MATCH_UNKNOWN = 0, MATCH_NO = 1, MATCH_YES = 3 };

/* They end with the arena. Without a cache, all is matched again. */
struct match_results *match_results_new(struct arena *a, struct patterns *patterns,
					struct match_cache *cache)
	__attribute__((nonnull(1, 2), returns_nonnull));

/* A walk over these columns, which are locked; results for others are dropped. */
void match_results_begin(struct match_results *v, struct columns *c) __attribute__((nonnull));

/* Indexed by the number of the text; until the lock is released. */
uint8_t *match_results_of(struct match_results *v, const struct column *column, size_t pattern)
	__attribute__((nonnull, returns_nonnull));

/*
 * Requests the result for a text with MATCH_UNKNOWN; short ones are
 * matched at once, for a few milliseconds.
 */
void match_results_ask(struct match_results *v, uint8_t *result, size_t pattern, struct str text)
	__attribute__((nonnull));

/* Whether the walk has met more than can be requested at once, so that its result is useless. */
bool match_results_are_short(const struct match_results *v) __attribute__((nonnull));

/* Whether the walk has met nothing new, so that its result is valid. */
bool match_results_are_known(const struct match_results *v) __attribute__((nonnull));

/* Hands the results to the cache, after a walk that has met nothing new; without a lock. */
void match_results_keep(const struct match_results *v) __attribute__((nonnull));

/* Without a lock. Matches what was requested; the error is that of the patterns. */
err_t match_results_find(struct match_results *v) __attribute__((nonnull, warn_unused_result));

#endif
