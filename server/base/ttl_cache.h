#ifndef TTL_CACHE_H
#define TTL_CACHE_H

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
struct ttl_cache;

struct ttl_cache *ttl_cache_new(size_t slots, size_t value_size, int64_t ttl_us);
void ttl_cache_free(struct ttl_cache *c);

uint64_t ttl_cache_generation(struct ttl_cache *c);
/* Copies the value, of value_size bytes; false when it is not there or too old. */
bool ttl_cache_find(struct ttl_cache *c, struct str key, void *ret_value);
/* True if it was saved in a free slot, which takes that many bytes of memory. */
bool ttl_cache_save(struct ttl_cache *c, struct str key, uint64_t generation, const void *value);
size_t ttl_cache_slot_bytes(const struct ttl_cache *c);
/* Drops all entries. */
void ttl_cache_clear(struct ttl_cache *c);

struct ttl_cache_counts {
	uint64_t hits, misses;
};
struct ttl_cache_counts ttl_cache_counts(struct ttl_cache *c);

#endif
