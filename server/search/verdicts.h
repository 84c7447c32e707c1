#ifndef VERDICTS_H
#define VERDICTS_H

#include "columns.h"
#include "pattern.h"
#include "verdict_cache.h"

/*
 * What the expressions of one filter say of the texts of columns. An expression may take seconds, and who reads
 * columns keeps those waiting who write them. So a filter that meets a text of which nothing is known yet asks
 * for it, unless that can be told at once, and goes on as if it did not match; then the columns are given back, the texts are matched, and the
 * filter is walked again, until it has met nothing new:
 *
 *   lock -> verdicts_begin -> the filter -> verdicts_are_known? -> the answer -> unlock
 *     ^                                          | no
 *     +------ verdicts_find <---- unlock --------+
 */
struct verdicts;

/* The lowest bit: it is known; the next: it matches. What was asked for is a no until it is found. */
enum verdict { VERDICT_UNKNOWN = 0, VERDICT_NO = 1, VERDICT_YES = 3 };

/* They end with the arena. Without a cache all is found out anew. */
struct verdicts *verdicts_new(struct arena *a, struct patterns *patterns,
			      struct verdict_cache *cache)
	__attribute__((nonnull(1, 2), returns_nonnull));

/* A walk over these columns, which are locked; what is known of others is forgotten. */
void verdicts_begin(struct verdicts *v, struct columns *c) __attribute__((nonnull));

/* By the number of the text; until the lock is given back. */
uint8_t *verdicts_of(struct verdicts *v, const struct column *column, size_t pattern)
	__attribute__((nonnull, returns_nonnull));

/* Of a text with VERDICT_UNKNOWN; short ones are known at once, for a few milliseconds. */
void verdicts_ask(struct verdicts *v, uint8_t *verdict, size_t pattern, struct str text)
	__attribute__((nonnull));

/* Whether the walk has met more than is asked for at once, so that nothing can come of it. */
bool verdicts_are_short(const struct verdicts *v) __attribute__((nonnull));

/* Whether the walk has met nothing new, so that its answer holds. */
bool verdicts_are_known(const struct verdicts *v) __attribute__((nonnull));

/* Hands what was found out to the cache, after a walk that has met nothing new; without a lock. */
void verdicts_keep(const struct verdicts *v) __attribute__((nonnull));

/* Without a lock. What was asked for is matched; the error is that of the patterns. */
err_t verdicts_find(struct verdicts *v) __attribute__((nonnull, warn_unused_result));

#endif
