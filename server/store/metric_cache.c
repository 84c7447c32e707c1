/*
 * One table of hashes per project under one read-write lock: a batch looks its dozen keys up in about
 * a microsecond. When there are too many projects, or names, all of them are forgotten, which costs a
 * query each to learn again. Rejected: eviction one by one, which needs a clock on the hot path.
 */
#include "metric_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "keyed_hash.h"
#include "metric_store.h"

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
	struct str *by_id;
	size_t by_id_size;
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

static void forget_all(struct metric_cache *cache)
{
	for (size_t i = 0; i < cache->project_count; i++) {
		arena_free(cache->projects[i].arena);
		free(cache->projects[i].entries);
		free(cache->projects[i].by_id);
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

static struct names *find_project(struct metric_cache *cache, int64_t project_id)
{
	for (size_t i = 0; i < cache->project_count; i++) {
		if (cache->projects[i].project_id == project_id)
			return &cache->projects[i];
	}
	return NULL;
}

/* The entry of the name, or the free place where it belongs. */
static struct entry *find_entry(const struct names *names, struct str name, uint64_t hash)
{
	size_t mask = names->size - 1;
	size_t i = hash & mask;

	while (names->entries[i].hash &&
	       (names->entries[i].hash != hash || !str_equal(names->entries[i].name, name)))
		i = (i + 1) & mask;
	return &names->entries[i];
}

static void grow_entries(struct names *names)
{
	struct names old = *names;

	names->size = old.size ? old.size * 2 : 64;
	names->entries = calloc(names->size, sizeof(names->entries[0]));
	if (!names->entries)
		abort();
	for (size_t i = 0; i < old.size; i++) {
		if (old.entries[i].hash)
			*find_entry(names, old.entries[i].name, old.entries[i].hash) =
				old.entries[i];
	}
	free(old.entries);
}

static void grow_ids(struct names *names, size_t need)
{
	size_t size = names->by_id_size ? names->by_id_size : 64;

	while (size < need)
		size *= 2;
	names->by_id = realloc(names->by_id, size * sizeof(names->by_id[0]));
	if (!names->by_id)
		abort();
	memset(names->by_id + names->by_id_size, 0,
	       (size - names->by_id_size) * sizeof(names->by_id[0]));
	names->by_id_size = size;
}

static void remember_one(struct metric_cache *cache, struct names *names,
			 const struct metric *metric)
{
	uint64_t hash = hash_of(&cache->key, metric->name);
	struct entry *entry;

	if (names->count * 2 >= names->size)
		grow_entries(names);
	entry = find_entry(names, metric->name, hash);
	if (entry->hash || metric->key_id < 0)
		return;
	*entry = (struct entry){
		.hash = hash,
		.name = { str_copy(names->arena, metric->name), metric->name.len },
		.key_id = metric->key_id,
	};
	names->count++;
	cache->name_count++;
	if ((size_t)metric->key_id >= names->by_id_size)
		grow_ids(names, (size_t)metric->key_id + 1);
	names->by_id[metric->key_id] = entry->name;
}

static void remember(struct metric_cache *cache, int64_t project_id, const struct metric *metrics,
		     size_t count)
{
	struct names *names;

	pthread_rwlock_wrlock(&cache->lock);
	if (cache->name_count + count > cache->names_max)
		forget_all(cache);
	names = find_project(cache, project_id);
	if (!names) {
		if (cache->project_count == METRIC_CACHE_PROJECTS)
			forget_all(cache);
		names = &cache->projects[cache->project_count++];
		*names = (struct names){ .project_id = project_id, .arena = arena_new(4096) };
		grow_entries(names);
	}
	for (size_t i = 0; i < count; i++)
		remember_one(cache, names, &metrics[i]);
	pthread_rwlock_unlock(&cache->lock);
}

/* Fills in what is known; names of the others go to `missing`. */
static size_t look_up(struct metric_cache *cache, int64_t project_id, const struct str *name,
		      size_t count, int32_t *ret_key_ids, struct str *missing)
{
	const struct names *names;
	size_t missed = 0;

	pthread_rwlock_rdlock(&cache->lock);
	names = find_project(cache, project_id);
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

/*
 * Asks the database for the names that have no number yet. What it says is taken as it is said, not from
 * memory, where another thread may have forgotten it by now.
 */
static err_t learn(struct metric_cache *cache, struct db *db, int64_t project_id,
		   const struct str *names, size_t count, int32_t *key_ids)
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
	remember(cache, project_id, metrics, found);
	qsort(metrics, found, sizeof(metrics[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		const struct metric wanted = { .name = names[i] };
		const struct metric *metric = NULL;

		if (key_ids[i] == INT32_MAX)
			metric = bsearch(&wanted, metrics, found, sizeof(wanted), by_name);
		if (metric)
			key_ids[i] = metric->key_id;
	}
	return NULL;
}

err_t metric_cache_find(struct metric_cache *cache, struct db *db, int64_t project_id,
			const struct str *names, size_t count, int32_t *ret_key_ids)
{
	struct str *missing = arena_new_array(db_arena(db), struct str, count);

	if (!look_up(cache, project_id, names, count, ret_key_ids, missing))
		return NULL;
	return learn(cache, db, project_id, names, count, ret_key_ids);
}

err_t metric_cache_numbers(struct metric_cache *cache, struct db *db, int64_t project_id,
			   const struct str *names, size_t count, uint32_t *ret_key_ids)
{
	struct str *missing = arena_new_array(db_arena(db), struct str, count);
	int32_t *ids = arena_new_array(db_arena(db), int32_t, count);
	err_t e = metric_cache_find(cache, db, project_id, names, count, ids);
	size_t missed = 0;

	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == INT32_MAX)
			missing[missed++] = names[i];
	}
	if (missed) {
		e = metric_store_add(db, project_id, missing, missed);
		if (!e)
			e = learn(cache, db, project_id, names, count, ids);
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
			    int32_t *missing)
{
	const struct names *names;
	size_t missed = 0;

	pthread_rwlock_rdlock(&cache->lock);
	names = find_project(cache, project_id);
	for (size_t i = 0; i < count; i++) {
		bool known = names && ids[i] >= 0 && (size_t)ids[i] < names->by_id_size &&
			     names->by_id[ids[i]].at;

		ret_names[i] = (struct str){ "", 0 };
		if (known)
			ret_names[i] = (struct str){ str_copy(a, names->by_id[ids[i]]),
						     names->by_id[ids[i]].len };
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
	size_t missed = look_up_names(cache, a, project_id, key_ids, count, ret_names, missing);
	struct metric *metrics;
	size_t found;
	err_t e;

	if (!missed)
		return NULL;
	e = metric_store_names(db, project_id, missing, missed, &metrics, &found);
	if (e)
		return e;
	remember(cache, project_id, metrics, found);
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
