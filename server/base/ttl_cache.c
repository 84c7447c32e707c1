/*
 * A set-associative table: a key's hash chooses a set of four slots and is compared in full. The
 * hash is 128 bits under a random key, so no client can construct a collision, and keys need not be
 * stored. A hash table with lists would have to be bounded and swept; this table is bounded by its
 * form.
 */
#include "ttl_cache.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "id.h"

enum { WAYS = 4, LOCKS = 64, HASH_SIZE = 16 };

struct slot {
	unsigned char hash[HASH_SIZE];
	int64_t until_us; /* 0: empty */
	uint64_t generation;
};

struct ttl_cache {
	size_t sets; /* a power of two */
	size_t value_size;
	int64_t ttl_us;
	unsigned char secret[crypto_shorthash_siphashx24_KEYBYTES];
	struct slot *slots;
	char *values;
	pthread_mutex_t locks[LOCKS]; /* a set's is its number modulo LOCKS */
	_Atomic uint64_t generation;
	_Atomic uint64_t hits, misses;
};

_Static_assert(HASH_SIZE == crypto_shorthash_siphashx24_BYTES, "size of a hash");

struct ttl_cache *ttl_cache_new(size_t slots, size_t value_size, int64_t ttl_us)
{
	struct ttl_cache *c = calloc(1, sizeof(*c));
	size_t sets = 1;

	if (!c)
		abort();
	while (sets * WAYS < slots)
		sets *= 2;
	c->sets = sets;
	c->value_size = value_size;
	c->ttl_us = ttl_us;
	c->slots = calloc(sets * WAYS, sizeof(*c->slots));
	c->values = calloc(sets * WAYS, value_size);
	if (!c->slots || !c->values)
		abort();
	id_random(c->secret, sizeof(c->secret));
	for (size_t i = 0; i < LOCKS; i++)
		pthread_mutex_init(&c->locks[i], NULL);
	return c;
}

void ttl_cache_free(struct ttl_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&c->locks[i]);
	free(c->slots);
	free(c->values);
	free(c);
}

uint64_t ttl_cache_generation(struct ttl_cache *c)
{
	return atomic_load(&c->generation);
}

void ttl_cache_clear(struct ttl_cache *c)
{
	atomic_fetch_add(&c->generation, 1);
}

/* The first slot of the key's set. */
static size_t first_slot(const struct ttl_cache *c, struct str key,
			 unsigned char hash[static HASH_SIZE])
{
	uint64_t number;

	crypto_shorthash_siphashx24(hash, (const unsigned char *)key.at, key.len, c->secret);
	memcpy(&number, hash, sizeof(number));
	return (number & (c->sets - 1)) * WAYS;
}

static pthread_mutex_t *lock_of(struct ttl_cache *c, size_t first)
{
	return &c->locks[first / WAYS % LOCKS];
}

static bool is_valid(const struct ttl_cache *c, const struct slot *p, int64_t now_us)
{
	return p->until_us > now_us && p->generation == atomic_load(&c->generation);
}

bool ttl_cache_find(struct ttl_cache *c, struct str key, void *ret_value)
{
	unsigned char hash[HASH_SIZE];
	size_t first = first_slot(c, key, hash);
	int64_t now_us = clock_mono_us();
	bool found = false;

	pthread_mutex_lock(lock_of(c, first));
	for (size_t i = first; i < first + WAYS && !found; i++) {
		found = is_valid(c, &c->slots[i], now_us) &&
			memcmp(c->slots[i].hash, hash, HASH_SIZE) == 0;
		if (found)
			memcpy(ret_value, c->values + i * c->value_size, c->value_size);
	}
	pthread_mutex_unlock(lock_of(c, first));
	atomic_fetch_add(found ? &c->hits : &c->misses, 1);
	return found;
}

/* The key's own slot, else the one that ends first. */
static size_t choose(const struct ttl_cache *c, size_t first,
		     const unsigned char hash[static HASH_SIZE])
{
	size_t best = first;

	for (size_t i = first; i < first + WAYS; i++) {
		if (memcmp(c->slots[i].hash, hash, HASH_SIZE) == 0)
			return i;
		if (c->slots[i].until_us < c->slots[best].until_us)
			best = i;
	}
	return best;
}

bool ttl_cache_save(struct ttl_cache *c, struct str key, uint64_t generation, const void *value)
{
	unsigned char hash[HASH_SIZE];
	size_t first = first_slot(c, key, hash);
	bool is_new;
	size_t at;

	pthread_mutex_lock(lock_of(c, first));
	at = choose(c, first, hash);
	is_new = !c->slots[at].until_us;
	memcpy(c->slots[at].hash, hash, HASH_SIZE);
	memcpy(c->values + at * c->value_size, value, c->value_size);
	c->slots[at].until_us = clock_mono_us() + c->ttl_us;
	c->slots[at].generation = generation;
	pthread_mutex_unlock(lock_of(c, first));
	return is_new;
}

size_t ttl_cache_slot_bytes(const struct ttl_cache *c)
{
	return sizeof(*c->slots) + c->value_size;
}

struct ttl_cache_counts ttl_cache_counts(struct ttl_cache *c)
{
	return (struct ttl_cache_counts){ atomic_load(&c->hits), atomic_load(&c->misses) };
}
