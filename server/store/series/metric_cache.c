/*
 * One table of hashes per project under one read-write lock: a batch looks its dozen keys up in
 * about a microsecond. If there are too many projects, or names, all of them are dropped, which
 * costs a query each to read again, and those of a project that are too old likewise. Rejected:
 * eviction one by one.
 */
#include "metric_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "keyed_hash.h"
#include "metric_store.h"
#include "server_store.h"

struct entry {
	uint64_t hash; /* 0: free */
	struct str name;
	int32_t key_id;
};

struct names {
	int64_t project_id;
	struct arena *arena;
	struct entry *entries; /* a power of two, at most half full */
	size_t size;
	size_t count;
	uint32_t *by_id;    /* 1 + the index of an entry, as many as those; 0: free */
	timestamp_us as_of; /* before the first of them was read, by the database's clock */
	int64_t until_us;   /* by clock_boot_us() */
};

struct metric_cache {
	pthread_rwlock_t lock;
	struct hash_key key;
	struct names projects[METRIC_CACHE_PROJECTS];
	size_t project_count;
	size_t name_count; /* of all projects */
	size_t names_max;
};

struct metric_cache *metric_cache_new(size_t names_max)
{
	struct metric_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		abort();
	pthread_rwlock_init(&cache->lock, NULL);
	hash_key_make(&cache->key);
	cache->names_max = names_max;
	return cache;
}

static void free_names(struct names *names)
{
	arena_free(names->arena);
	free(names->entries);
	free(names->by_id);
}

static void forget_all(struct metric_cache *cache)
{
	for (size_t i = 0; i < cache->project_count; i++) {
		free_names(&cache->projects[i]);
	}
	cache->project_count = 0;
	cache->name_count = 0;
}

void metric_cache_free(struct metric_cache *cache)
{
	if (!cache)
		return;
	forget_all(cache);
	pthread_rwlock_destroy(&cache->lock);
	free(cache);
}

size_t metric_cache_count(struct metric_cache *cache)
{
	size_t count;

	pthread_rwlock_rdlock(&cache->lock);
	count = cache->name_count;
	pthread_rwlock_unlock(&cache->lock);
	return count;
}

static uint64_t hash_of(const struct hash_key *key, struct str name)
{
	uint64_t hash = hash_keyed(key, name);

	return hash ? hash : 1;
}

static struct names *find_kept(struct metric_cache *cache, int64_t project_id)
{
	for (size_t i = 0; i < cache->project_count; i++) {
		if (cache->projects[i].project_id == project_id)
			return &cache->projects[i];
	}
	return NULL;
}

/* NULL: not cached, or too old. */
static const struct names *find_project(struct metric_cache *cache, int64_t project_id)
{
	const struct names *names = find_kept(cache, project_id);

	return names && clock_boot_us() < names->until_us ? names : NULL;
}

/* The entry of the name, or the free slot where it belongs. */
static struct entry *find_entry(const struct names *names, struct str name, uint64_t hash)
{
	size_t mask = names->size - 1;
	size_t i = hash & mask;

	while (names->entries[i].hash &&
	       (names->entries[i].hash != hash || !str_equal(names->entries[i].name, name)))
		i = (i + 1) & mask;
	return &names->entries[i];
}

/* The slot of the number in by_id, or the free one where it belongs. */
static uint32_t *find_id(const struct names *names, int32_t key_id)
{
	size_t mask = names->size - 1;
	size_t i = ((uint32_t)key_id * UINT32_C(2654435769)) & mask;

	while (names->by_id[i] && names->entries[names->by_id[i] - 1].key_id != key_id)
		i = (i + 1) & mask;
	return &names->by_id[i];
}

static void put_id(struct names *names, const struct entry *entry)
{
	*find_id(names, entry->key_id) = 1 + (uint32_t)(entry - names->entries);
}

static void grow_entries(struct names *names)
{
	struct names old = *names;

	names->size = old.size ? old.size * 2 : 64;
	names->entries = calloc(names->size, sizeof(names->entries[0]));
	names->by_id = calloc(names->size, sizeof(names->by_id[0]));
	if (!names->entries || !names->by_id)
		abort();
	for (size_t i = 0; i < old.size; i++) {
		struct entry *entry;

		if (!old.entries[i].hash)
			continue;
		entry = find_entry(names, old.entries[i].name, old.entries[i].hash);
		*entry = old.entries[i];
		put_id(names, entry);
	}
	free(old.entries);
	free(old.by_id);
}

static void remember_one(struct metric_cache *cache, struct names *names,
			 const struct metric *metric)
{
	uint64_t hash = hash_of(&cache->key, metric->name);
	struct entry *entry;

	if (names->count * 2 >= names->size)
		grow_entries(names);
	entry = find_entry(names, metric->name, hash);
	if (entry->hash || metric->key_id < 0 || metric->unused_at.us)
		return;
	*entry = (struct entry){
		.hash = hash,
		.name = { str_copy(names->arena, metric->name), metric->name.len },
		.key_id = metric->key_id,
	};
	put_id(names, entry);
	names->count++;
	cache->name_count++;
}

static struct names *begin_project(struct metric_cache *cache, int64_t project_id,
				   timestamp_us as_of)
{
	struct names *names = find_kept(cache, project_id);

	if (names) {
		cache->name_count -= names->count;
		free_names(names);
	} else {
		if (cache->project_count == METRIC_CACHE_PROJECTS)
			forget_all(cache);
		names = &cache->projects[cache->project_count++];
	}
	*names = (struct names){
		.project_id = project_id,
		.arena = arena_new(4096),
		.as_of = as_of,
		.until_us = clock_boot_us() + METRIC_CACHE_KEPT_US,
	};
	grow_entries(names);
	return names;
}

/* Stores names that were read after `as_of`. */
static void remember(struct metric_cache *cache, int64_t project_id, const struct metric *metrics,
		     size_t count, timestamp_us as_of)
{
	struct names *names;

	pthread_rwlock_wrlock(&cache->lock);
	if (cache->name_count + count > cache->names_max)
		forget_all(cache);
	names = find_kept(cache, project_id);
	if (!names || clock_boot_us() >= names->until_us)
		names = begin_project(cache, project_id, as_of);
	for (size_t i = 0; i < count; i++)
		remember_one(cache, names, &metrics[i]);
	pthread_rwlock_unlock(&cache->lock);
}

void metric_cache_forget(struct metric_cache *cache, int64_t project_id)
{
	struct names *names;

	pthread_rwlock_wrlock(&cache->lock);
	names = find_kept(cache, project_id);
	if (names)
		names->until_us = 0;
	pthread_rwlock_unlock(&cache->lock);
}

/*
 * Fills in known numbers; the other names go to `missing`. *ret_as_of: the time of the cached data;
 * 0: the project is not cached.
 */
static size_t look_up(struct metric_cache *cache, int64_t project_id, const struct str *name,
		      size_t count, int32_t *ret_key_ids, struct str *missing,
		      timestamp_us *ret_as_of)
{
	const struct names *names;
	size_t missed = 0;

	pthread_rwlock_rdlock(&cache->lock);
	names = find_project(cache, project_id);
	*ret_as_of = (timestamp_us){ names ? names->as_of.us : 0 };
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry =
			names ? find_entry(names, name[i], hash_of(&cache->key, name[i])) : NULL;

		ret_key_ids[i] = entry && entry->hash ? entry->key_id : INT32_MAX;
		if (ret_key_ids[i] == INT32_MAX)
			missing[missed++] = name[i];
	}
	pthread_rwlock_unlock(&cache->lock);
	return missed;
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct metric *)a)->name, ((const struct metric *)b)->name);
}

static int by_id(const void *a, const void *b)
{
	int32_t x = ((const struct metric *)a)->key_id;
	int32_t y = ((const struct metric *)b)->key_id;

	return (x > y) - (x < y);
}

enum which { ALL, USED };

/*
 * Asks the database for the names that have no number yet. The result is used directly, not read
 * back from the cache, where another thread may have dropped it by now.
 */
static err_t learn(struct metric_cache *cache, struct db *db, int64_t project_id,
		   const struct str *names, size_t count, enum which which, timestamp_us as_of,
		   int32_t *key_ids)
{
	struct str *missing = arena_new_array(db_arena(db), struct str, count);
	struct metric *metrics;
	size_t missed = 0;
	size_t found;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		if (key_ids[i] == INT32_MAX)
			missing[missed++] = names[i];
	}
	e = metric_store_list(db, project_id, missing, missed, &metrics, &found);
	if (e || !found)
		return e;
	remember(cache, project_id, metrics, found, as_of);
	qsort(metrics, found, sizeof(metrics[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		const struct metric wanted = { .name = names[i] };
		const struct metric *metric = NULL;

		if (key_ids[i] == INT32_MAX)
			metric = bsearch(&wanted, metrics, found, sizeof(wanted), by_name);
		if (metric && (which == ALL || !metric->unused_at.us))
			key_ids[i] = metric->key_id;
	}
	return NULL;
}

static err_t find(struct metric_cache *cache, struct db *db, int64_t project_id,
		  const struct str *names, size_t count, enum which which, int32_t *ret_key_ids,
		  timestamp_us *ret_as_of)
{
	struct str *missing = arena_new_array(db_arena(db), struct str, count);
	err_t e = NULL;

	if (!look_up(cache, project_id, names, count, ret_key_ids, missing, ret_as_of))
		return NULL;
	if (!ret_as_of->us)
		e = server_store_now(db, ret_as_of);
	return e ? e : learn(cache, db, project_id, names, count, which, *ret_as_of, ret_key_ids);
}

err_t metric_cache_find(struct metric_cache *cache, struct db *db, int64_t project_id,
			const struct str *names, size_t count, int32_t *ret_key_ids)
{
	timestamp_us as_of;

	return find(cache, db, project_id, names, count, ALL, ret_key_ids, &as_of);
}

err_t metric_cache_find_used(struct metric_cache *cache, struct db *db, int64_t project_id,
			     const struct str *names, size_t count, int32_t *ret_key_ids,
			     timestamp_us *ret_as_of)
{
	return find(cache, db, project_id, names, count, USED, ret_key_ids, ret_as_of);
}

err_t metric_cache_numbers(struct metric_cache *cache, struct db *db, int64_t project_id,
			   const struct str *names, size_t count, uint32_t *ret_key_ids)
{
	struct str *missing = arena_new_array(db_arena(db), struct str, count);
	int32_t *ids = arena_new_array(db_arena(db), int32_t, count);
	timestamp_us as_of;
	err_t e = metric_cache_find_used(cache, db, project_id, names, count, ids, &as_of);
	struct new_metrics metrics = { .project_id = project_id, .names = missing };

	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == INT32_MAX)
			missing[metrics.count++] = names[i];
	}
	if (metrics.count) {
		e = metric_store_add_all(db, &metrics);
		if (!e)
			e = learn(cache, db, project_id, names, count, ALL, as_of, ids);
		if (e)
			return e;
	}
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == INT32_MAX)
			return err_new(db_arena(db), ERR_INTERNAL, "a key has no number");
		ret_key_ids[i] = (uint32_t)ids[i];
	}
	return NULL;
}

static size_t look_up_names(struct metric_cache *cache, struct arena *a, int64_t project_id,
			    const int32_t *ids, size_t count, struct str *ret_names,
			    int32_t *missing, timestamp_us *ret_as_of)
{
	const struct names *names;
	size_t missed = 0;

	pthread_rwlock_rdlock(&cache->lock);
	names = find_project(cache, project_id);
	*ret_as_of = (timestamp_us){ names ? names->as_of.us : 0 };
	for (size_t i = 0; i < count; i++) {
		uint32_t at = names ? *find_id(names, ids[i]) : 0;

		ret_names[i] = (struct str){ "", 0 };
		if (at)
			ret_names[i] = (struct str){ str_copy(a, names->entries[at - 1].name),
						     names->entries[at - 1].name.len };
		else
			missing[missed++] = ids[i];
	}
	pthread_rwlock_unlock(&cache->lock);
	return missed;
}

err_t metric_cache_names(struct metric_cache *cache, struct db *db, int64_t project_id,
			 const int32_t *key_ids, size_t count, struct str *ret_names)
{
	struct arena *a = db_arena(db);
	int32_t *missing = arena_new_array(a, int32_t, count);
	timestamp_us as_of;
	size_t missed =
		look_up_names(cache, a, project_id, key_ids, count, ret_names, missing, &as_of);
	struct metric *metrics;
	size_t found;
	err_t e = NULL;

	if (!missed)
		return NULL;
	if (!as_of.us)
		e = server_store_now(db, &as_of);
	if (!e)
		e = metric_store_names(db, project_id, missing, missed, &metrics, &found);
	if (e)
		return e;
	remember(cache, project_id, metrics, found, as_of);
	if (found)
		qsort(metrics, found, sizeof(metrics[0]), by_id);
	for (size_t i = 0; i < count && found; i++) {
		const struct metric wanted = { .key_id = key_ids[i] };
		const struct metric *metric = NULL;

		if (!ret_names[i].len)
			metric = bsearch(&wanted, metrics, found, sizeof(wanted), by_id);
		if (metric)
			ret_names[i] = metric->name;
	}
	return NULL;
}
