#ifndef MATCH_CACHE_H
#define MATCH_CACHE_H

#include <stdint.h>

#include "filter.h"

/*
 * The results of expressions on the texts of columns, for repeated queries: the next page, another
 * order, groups of the same runs, a list that is refreshed again and again. Texts keep their
 * numbers as long as the columns are there, so results stay valid, and only new texts are matched.
 * Bounded: the least recently used entry is dropped first. Any thread.
 */
struct match_cache;

struct match_cache *match_cache_new(size_t bytes) __attribute__((returns_nonnull));
void match_cache_free(struct match_cache *c);

struct match_key {
	uint64_t columns; /* their id; 0: not cached */
	size_t column;
	const struct filter_node *node;
};

/* Fewer texts than these are matched as quickly. */
enum { VERDICT_CACHE_LEAST = 1024 };

/* Copies the results for the first texts, at most `count`, to `results`; returns how many. */
size_t match_cache_get(struct match_cache *c, const struct match_key *key, uint8_t *results,
		       size_t count) __attribute__((nonnull));
void match_cache_put(struct match_cache *c, const struct match_key *key, const uint8_t *results,
		     size_t count) __attribute__((nonnull));

#endif
