/*
 * One statement reads the age of all runs: their rows and branch. The statistics that the cache lacks are read for a
 * piece of the runs at a time, as GET …/metrics reads them: one statement over all runs would pass over the ones it
 * leaves for later every time. The age is read before the statistics, so an entry is never older than its key says.
 *
 * Any reader of a project can ask for keys that are not in the cache, again and again. So only a few such scans keep
 * workers busy at a time, one per project. Another scan waits a little: a page requests several lists with the same
 * order at once, so what it needs is then probably in the cache.
 */
#include "metric_summary_cache.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "memory.h"
#include "metric_sums.h"
#include "ttl_cache.h"

enum {
	ENTRIES_MAX = 1 << 18, /* 16 MiB, allocated as they are used */
	PIECE = 200,           /* runs that are read at once; more of them are many */
	PIECE_ARENA = 64 << 10,
};
static const int64_t KEEPS_US = INT64_C(7) * 24 * 3600 * 1000000;
static const int64_t WAITS_US = INT64_C(2) * 1000000;

/* ---- the limit of scans -------------------------------------------------------------------------- */

/*
 * Limits the scans of many runs: a few at a time, one per project. A waiting scan keeps a worker busy too, so only a
 * few may wait. Any thread.
 */
enum { SCANS_MAX = 4, SCANS_WAITING_MAX = 4 };

struct scan_limiter {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int64_t projects[SCANS_MAX]; /* that are being scanned; 0: free */
	size_t waiting;
};

static void scan_limiter_init(struct scan_limiter *limiter)
{
	*limiter = (struct scan_limiter){ .waiting = 0 };
	pthread_mutex_init(&limiter->lock, NULL);
	clock_cond_init(&limiter->ended);
}

static void scan_limiter_deinit(struct scan_limiter *limiter)
{
	pthread_cond_destroy(&limiter->ended);
	pthread_mutex_destroy(&limiter->lock);
}

/* Takes a free slot, unless the project has one already. */
static bool take_slot(struct scan_limiter *limiter, int64_t project_id)
{
	int64_t *found = NULL;

	for (size_t i = 0; i < SCANS_MAX; i++) {
		if (limiter->projects[i] == project_id)
			return false;
		if (!limiter->projects[i])
			found = &limiter->projects[i];
	}
	if (found)
		*found = project_id;
	return found;
}

/* Returns true if the project may be scanned, until scan_limiter_end(). */
static bool scan_limiter_try(struct scan_limiter *limiter, int64_t project_id)
{
	bool taken;

	pthread_mutex_lock(&limiter->lock);
	taken = take_slot(limiter, project_id);
	pthread_mutex_unlock(&limiter->lock);
	return taken;
}

static bool wait_for_slot(struct scan_limiter *limiter, int64_t project_id, int64_t until_us)
{
	const struct timespec until = clock_timespec(until_us);
	bool is_late = false;
	bool taken = take_slot(limiter, project_id);

	while (!taken && !is_late) {
		is_late = pthread_cond_timedwait(&limiter->ended, &limiter->lock, &until);
		taken = take_slot(limiter, project_id);
	}
	return taken;
}

/* The same, waiting until then (monotonic) at most; it does not wait if SCANS_WAITING_MAX others do. */
static bool scan_limiter_wait(struct scan_limiter *limiter, int64_t project_id, int64_t until_us)
{
	bool taken = false;

	pthread_mutex_lock(&limiter->lock);
	if (limiter->waiting < SCANS_WAITING_MAX) {
		limiter->waiting++;
		taken = wait_for_slot(limiter, project_id, until_us);
		limiter->waiting--;
	}
	pthread_mutex_unlock(&limiter->lock);
	return taken;
}

/* Wakes all waiters: one may wait for this project, another for any slot. */
static void scan_limiter_end(struct scan_limiter *limiter, int64_t project_id)
{
	pthread_mutex_lock(&limiter->lock);
	for (size_t i = 0; i < SCANS_MAX; i++) {
		if (limiter->projects[i] == project_id)
			limiter->projects[i] = 0;
	}
	pthread_cond_broadcast(&limiter->ended);
	pthread_mutex_unlock(&limiter->lock);
}

static size_t scan_limiter_waiting(struct scan_limiter *limiter)
{
	size_t waiting;

	pthread_mutex_lock(&limiter->lock);
	waiting = limiter->waiting;
	pthread_mutex_unlock(&limiter->lock);
	return waiting;
}

/* ---- the cache ----------------------------------------------------------------------------------- */

struct metric_summary_cache {
	struct ttl_cache *entries;
	struct memory *memory;
	_Atomic size_t entry_count;
	_Atomic uint64_t refused;
	struct scan_limiter limiter; /* of reading many runs */
};

struct metric_summary_cache *metric_summary_cache_new(struct memory *memory)
{
	struct metric_summary_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		abort();
	cache->entries = ttl_cache_new(ENTRIES_MAX, sizeof(struct metric_summary), KEEPS_US);
	cache->memory = memory;
	scan_limiter_init(&cache->limiter);
	return cache;
}

void metric_summary_cache_free(struct metric_summary_cache *cache)
{
	if (!cache)
		return;
	memory_give(cache->memory, MEMORY_FACTS,
		    cache->entry_count * ttl_cache_slot_bytes(cache->entries));
	scan_limiter_deinit(&cache->limiter);
	ttl_cache_free(cache->entries);
	free(cache);
}

void metric_summary_cache_metrics(struct metric_summary_cache *cache, struct buf *text)
{
	struct ttl_cache_counts counts = ttl_cache_counts(cache->entries);

	buf_printf(
		text,
		"# HELP cairn_metric_facts_lookups_total Lookups of metric summaries for sorted queries.\n"
		"# TYPE cairn_metric_facts_lookups_total counter\n"
		"cairn_metric_facts_lookups_total{from=\"memory\"} %" PRIu64 "\n"
		"cairn_metric_facts_lookups_total{from=\"database\"} %" PRIu64 "\n"
		"# HELP cairn_metric_facts_refused_total Sorted queries rejected because of concurrent full scans.\n"
		"# TYPE cairn_metric_facts_refused_total counter\n"
		"cairn_metric_facts_refused_total %" PRIu64 "\n"
		"# HELP cairn_metric_facts_waiting Sorted queries waiting because of concurrent full scans.\n"
		"# TYPE cairn_metric_facts_waiting gauge\n"
		"cairn_metric_facts_waiting %zu\n",
		counts.hits, counts.misses, cache->refused, scan_limiter_waiting(&cache->limiter));
}

/* The key of an entry. It has no padding, since its bytes are compared. A run that was moved has other key_ids. */
struct entry_key {
	int64_t project_id;
	int64_t run_id;
	int64_t next_row;
	int32_t branch;
	int32_t key_id;
};
_Static_assert(sizeof(struct entry_key) == 32, "the key of an entry has no padding");

struct reading {
	struct metric_summary_cache *cache;
	const struct run_reader *reader;
	const struct metric_summary_ask *ask;
	const struct metric_age **ages; /* of each run; NULL: it does not exist */
	struct metric_summary *summaries;
};

static struct entry_key entry_key_of(const struct reading *r, size_t run, size_t key)
{
	return (struct entry_key){
		.project_id = r->ask->project_id,
		.run_id = r->ask->run_ids[run],
		.next_row = r->ages[run]->next_row,
		.branch = r->ages[run]->branch,
		.key_id = r->ask->key_ids[key],
	};
}

/* ---- entries -------------------------------------------------------------------------------- */

static int by_run(const void *a, const void *b)
{
	const struct metric_age *x = a;
	const struct metric_age *y = b;

	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

static err_t read_ages(struct reading *r)
{
	const struct metric_summary_ask *ask = r->ask;
	struct metric_age *ages;
	size_t count;
	err_t e = metric_sums_ages(r->reader->db, ask->project_id, ask->run_ids, ask->run_count,
				   &ages, &count);

	if (e)
		return e;
	if (count)
		qsort(ages, count, sizeof(ages[0]), by_run);
	for (size_t i = 0, at = 0; i < ask->run_count; i++) {
		while (at < count && ages[at].run_id < ask->run_ids[i])
			at++;
		r->ages[i] = at < count && ages[at].run_id == ask->run_ids[i] ? &ages[at] : NULL;
	}
	return NULL;
}

/* Returns whether the cache has the summaries of all keys of the run. */
static bool find_entries(const struct reading *r, size_t run)
{
	bool found = true;

	for (size_t key = 0; key < r->ask->key_count && found; key++) {
		const struct entry_key entry_key = entry_key_of(r, run, key);

		found = ttl_cache_find(r->cache->entries,
				       (struct str){ (const char *)&entry_key, sizeof(entry_key) },
				       &r->summaries[run * r->ask->key_count + key]);
	}
	return found;
}

static void save_entry(const struct reading *r, size_t run, size_t key, const struct bucket *sum)
{
	struct metric_summary *summary = &r->summaries[run * r->ask->key_count + key];
	const struct entry_key entry_key = entry_key_of(r, run, key);

	if (metric_sums_has(sum))
		summary->last = sum->last;
	if (sum->n)
		*summary = (struct metric_summary){ sum->last, sum->min, sum->max, sum->mean };
	if (!ttl_cache_save(r->cache->entries,
			    (struct str){ (const char *)&entry_key, sizeof(entry_key) },
			    ttl_cache_generation(r->cache->entries), summary))
		return;
	r->cache->entry_count++;
	memory_take(r->cache->memory, MEMORY_FACTS, ttl_cache_slot_bytes(r->cache->entries));
}

/* ---- reading -------------------------------------------------------------------------------- */

/* runs: indices into run_ids. */
static err_t read_sums(const struct reading *r, const size_t *runs, size_t count)
{
	struct arena *a = db_arena(r->reader->db);
	const size_t keys = r->ask->key_count;
	struct bucket *sums = arena_new_array(a, struct bucket, count * keys);
	int64_t ids[PIECE];
	const struct metric_sums_ask ask = {
		.run_ids = ids,
		.run_count = count,
		.key_ids = r->ask->key_ids,
		.key_count = keys,
		.project_id = r->ask->project_id,
	};
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = r->ask->run_ids[runs[i]];
	e = metric_sums_read(r->reader, &ask, sums);
	for (size_t i = 0; i < count * keys && !e; i++)
		save_entry(r, runs[i / keys], i % keys, &sums[i]);
	return e;
}

static err_t read_piece(const struct reading *r, const size_t *runs, size_t count)
{
	struct arena *home = db_arena(r->reader->db);
	struct arena *own = arena_new_beside(home, PIECE_ARENA);
	err_t e;

	db_set_arena(r->reader->db, own);
	e = read_sums(r, runs, count);
	db_set_arena(r->reader->db, home);
	if (e)
		e = err_copy(home, e);
	arena_free(own);
	return e;
}

static err_t read_pieces(const struct reading *r, const size_t *runs, size_t count)
{
	err_t e = NULL;

	for (size_t at = 0; at < count && !e; at += PIECE)
		e = read_piece(r, runs + at, count - at < PIECE ? count - at : PIECE);
	return e;
}

/* Leaves the runs that the cache lacks in `runs`, and returns how many they are. */
static size_t find_missing(const struct reading *r, size_t *runs, size_t count)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++) {
		if (!find_entries(r, runs[i]))
			runs[missing++] = runs[i];
	}
	return missing;
}

/* At most half of the time that is left, so that the other half is there to read. */
static int64_t waits_until(const struct reading *r)
{
	int64_t now_us = clock_mono_us();
	int64_t most_us = (r->ask->deadline_us - now_us) / 2;

	return now_us + (most_us < WAITS_US ? most_us : WAITS_US);
}

static err_t read_many(const struct reading *r, size_t *runs, size_t count)
{
	struct scan_limiter *limiter = &r->cache->limiter;
	bool is_admitted = scan_limiter_try(limiter, r->ask->project_id);
	err_t e;

	if (!is_admitted) {
		is_admitted = scan_limiter_wait(limiter, r->ask->project_id, waits_until(r));
		count = find_missing(r, runs, count); /* other scans have read some of them */
	}
	if (!is_admitted && count > PIECE) {
		r->cache->refused++;
		return err_new(db_arena(r->reader->db), ERR_BUSY,
			       "too many queries are ordering runs by their metrics");
	}
	e = read_pieces(r, runs, count);
	if (is_admitted)
		scan_limiter_end(limiter, r->ask->project_id);
	return e;
}

static err_t read_missing(const struct reading *r)
{
	size_t *runs = arena_new_array(db_arena(r->reader->db), size_t, r->ask->run_count);
	size_t count = 0;

	for (size_t i = 0; i < r->ask->run_count; i++) {
		if (r->ages[i])
			runs[count++] = i;
	}
	count = find_missing(r, runs, count);
	return count > PIECE ? read_many(r, runs, count) : read_pieces(r, runs, count);
}

err_t metric_summary_cache_read(struct metric_summary_cache *cache, const struct run_reader *reader,
				const struct metric_summary_ask *ask,
				struct metric_summary *ret_summaries)
{
	static const struct metric_summary none = { (double)NAN, (double)NAN, (double)NAN,
						    (double)NAN };
	struct reading r = {
		.cache = cache,
		.reader = reader,
		.ask = ask,
		.ages = arena_new_array(db_arena(reader->db), const struct metric_age *,
					ask->run_count + 1),
		.summaries = ret_summaries,
	};
	err_t e;

	for (size_t i = 0; i < ask->run_count * ask->key_count; i++)
		ret_summaries[i] = none;
	if (!ask->run_count || !ask->key_count)
		return NULL;
	e = read_ages(&r);
	return e ? e : read_missing(&r);
}
