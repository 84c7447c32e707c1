#ifndef FACT_CACHE_H
#define FACT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/*
 * Facts of the database that are kept in memory for a moment. Bounded: when a set is full, an entry
 * is replaced. Safe from all threads.
 *
 * A fact that was read before a clear and arrives after it must not be kept: a caller takes the
 * generation before it reads, and passes it with the fact.
 */
struct fact_cache;

struct fact_cache *fact_cache_new(size_t places, size_t value_size, int64_t ttl_us);
void fact_cache_free(struct fact_cache *c);

uint64_t fact_cache_generation(struct fact_cache *c);
/* Copies the value, of value_size bytes; false when it is not there or too old. */
bool fact_cache_find(struct fact_cache *c, struct str key, void *ret_value);
/* True if it was saved in a free place, which takes that many bytes of memory. */
bool fact_cache_save(struct fact_cache *c, struct str key, uint64_t generation, const void *value);
size_t fact_cache_place_bytes(const struct fact_cache *c);
/* Drops all entries. */
void fact_cache_clear(struct fact_cache *c);

struct fact_cache_counts {
	uint64_t hits, misses;
};
struct fact_cache_counts fact_cache_counts(struct fact_cache *c);

#endif
