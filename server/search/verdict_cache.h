#ifndef VERDICT_CACHE_H
#define VERDICT_CACHE_H

#include <stdint.h>

#include "filter.h"

/*
 * The results of expressions on the texts of columns, for repeated queries: the next page, another
 * order, groups of the same runs, a list that is refreshed again and again. Texts keep their
 * numbers as long as the columns are there, so results stay valid, and only new texts are matched.
 * Bounded: the least recently used entry is dropped first. Any thread.
 */
struct verdict_cache;

struct verdict_cache *verdict_cache_new(size_t bytes) __attribute__((returns_nonnull));
void verdict_cache_free(struct verdict_cache *c);

struct verdict_key {
	uint64_t columns; /* their id; 0: not cached */
	size_t column;
	const struct filter_node *node;
};

/* Fewer texts than these are matched as quickly. */
enum { VERDICT_CACHE_LEAST = 1024 };

/* Copies the results for the first texts, at most `count`, to `verdicts`; returns how many. */
size_t verdict_cache_get(struct verdict_cache *c, const struct verdict_key *key, uint8_t *verdicts,
			 size_t count) __attribute__((nonnull));
void verdict_cache_put(struct verdict_cache *c, const struct verdict_key *key,
		       const uint8_t *verdicts, size_t count) __attribute__((nonnull));

#endif
