#include "writer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "batch.h"
#include "keyed_hash.h"
#include "writer_marks.h"

enum { BUCKETS = 1 << 13, ARENA_BYTES = 64 << 10 };

struct known_run {
	struct known_run *next;
	int64_t run_id;
	int64_t version;
	int64_t next_seq; /* the tail's at this version */
	uint64_t age;     /* writers of an earlier age are dropped */
};

struct room {
	char *at;
	size_t size;
};

struct known_writer {
	struct known_writer *next;
	struct known_writer *next_number;
	struct known_run *run;
	uint64_t age;
	struct writer writer;
	char recent[BATCH_RECENT_MAX];
	/* most of these are a few bytes, and most writers have no lines */
	struct room lines;
	struct room streams;
};

struct writer_cache {
	struct arena *arena;
	struct hash_key key;
	struct known_run *runs[BUCKETS];
	struct known_writer *writers[BUCKETS];
	struct known_writer *numbers[BUCKETS]; /* the same, by their numbers */
	size_t count;
};

struct writer_cache *writer_cache_new(void)
{
	struct writer_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		abort();
	cache->arena = arena_new(ARENA_BYTES);
	hash_key_make(&cache->key);
	return cache;
}

void writer_cache_free(struct writer_cache *cache)
{
	if (!cache)
		return;
	arena_free(cache->arena);
	free(cache);
}

void writer_cache_make_room(struct writer_cache *cache)
{
	if (cache->count < WRITER_CACHE_WRITERS && arena_size(cache->arena) <= WRITER_CACHE_BYTES)
		return;
	arena_reset(cache->arena);
	memset(cache->runs, 0, sizeof(cache->runs));
	memset(cache->writers, 0, sizeof(cache->writers));
	memset(cache->numbers, 0, sizeof(cache->numbers));
	cache->count = 0;
}

static size_t run_bucket(int64_t run_id)
{
	return (size_t)((uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (BUCKETS - 1);
}

static size_t writer_bucket(const struct writer_cache *cache, int64_t run_id, struct str client)
{
	return (size_t)(hash_keyed(&cache->key, client) + run_bucket(run_id)) & (BUCKETS - 1);
}

static size_t number_bucket(int64_t run_id, int32_t writer)
{
	return (run_bucket(run_id) + (size_t)writer) & (BUCKETS - 1);
}

static struct known_run *find_run(const struct writer_cache *cache, int64_t run_id)
{
	struct known_run *run = cache->runs[run_bucket(run_id)];

	while (run && run->run_id != run_id)
		run = run->next;
	return run;
}

static struct known_writer *find_writer(const struct writer_cache *cache, int64_t run_id,
					struct str client)
{
	struct known_writer *w = cache->writers[writer_bucket(cache, run_id, client)];

	while (w && (w->run->run_id != run_id || !str_equal(w->writer.client, client)))
		w = w->next;
	return w;
}

static struct known_writer *find_number(const struct writer_cache *cache, int64_t run_id,
					int32_t writer)
{
	struct known_writer *w = cache->numbers[number_bucket(run_id, writer)];

	while (w && (w->run->run_id != run_id || w->writer.writer != writer))
		w = w->next_number;
	return w;
}

bool writer_cache_has(const struct writer_cache *cache, int64_t run_id, struct str client)
{
	const struct known_writer *w = find_writer(cache, run_id, client);

	return w && w->age == w->run->age;
}

const struct writer *writer_cache_find(const struct writer_cache *cache, int64_t run_id,
				       int64_t version, struct str client)
{
	const struct known_writer *w = find_writer(cache, run_id, client);

	return w && w->age == w->run->age && w->run->version == version ? &w->writer : NULL;
}

int64_t writer_cache_behind(const struct writer_cache *cache, int64_t run_id, int64_t version)
{
	const struct known_run *run = find_run(cache, run_id);

	return run && run->version != version ? run->next_seq : -1;
}

static struct str copy(struct arena *a, struct str s)
{
	return (struct str){ str_copy(a, s), s.len };
}

static void renew(struct writer_cache *cache, struct known_writer *known, const struct writer *w);

void writer_cache_follow(struct writer_cache *cache, struct arena *a, const struct marks *m)
{
	struct known_run *run = find_run(cache, m->run_id);

	if (!run || run->version != m->from)
		return;
	for (size_t i = 0; i < m->count; i++) {
		struct known_writer *w = find_number(cache, m->run_id, m->at[i].writer);
		struct writer after;

		if (!w || w->age != run->age)
			continue;
		after = w->writer;
		writer_mark_apply(a, &after, &m->at[i]);
		renew(cache, w, &after);
	}
	run->version = m->to;
	run->next_seq = m->seq + 1;
}

void writer_cache_advance(struct writer_cache *cache, const struct run *of, int64_t to)
{
	int64_t run_id = of->run_id;
	int64_t from = of->version;
	struct known_run *run;

	run = find_run(cache, run_id);
	if (!run) {
		size_t bucket = run_bucket(run_id);

		run = arena_new_of(cache->arena, struct known_run);
		run->run_id = run_id;
		run->version = from;
		run->next = cache->runs[bucket];
		cache->runs[bucket] = run;
	}
	if (run->version != from)
		run->age++;
	run->version = to;
	run->next_seq = of->next_seq;
}

static struct str put_into(struct writer_cache *cache, struct room *room, struct str bytes)
{
	if (bytes.len > room->size) {
		room->size = 2 * bytes.len;
		room->at = arena_alloc(cache->arena, room->size);
	}
	if (bytes.len && bytes.at != room->at)
		memcpy(room->at, bytes.at, bytes.len);
	return (struct str){ room->at, bytes.len };
}

/*
 * With the same age and session, a writer differs only in what batches
 * change, its label, or its end.
 */
static void renew(struct writer_cache *cache, struct known_writer *known, const struct writer *w)
{
	struct writer next = *w;

	next.client = known->writer.client;
	next.label = str_equal(w->label, known->writer.label) ? known->writer.label
							      : copy(cache->arena, w->label);
	next.end_reason = str_equal(w->end_reason, known->writer.end_reason)
				  ? known->writer.end_reason
				  : copy(cache->arena, w->end_reason);
	next.parent = known->writer.parent;
	next.sessions = known->writer.sessions;
	next.info = known->writer.info;
	next.recent.at = known->recent;
	if (w->recent.len && w->recent.at != known->recent)
		memcpy(known->recent, w->recent.at, w->recent.len);
	next.lines = put_into(cache, &known->lines, w->lines);
	next.streams = put_into(cache, &known->streams, w->streams);
	known->writer = next;
}

static void learn(struct writer_cache *cache, struct known_writer *known, const struct writer *w)
{
	struct arena *a = cache->arena;

	known->writer.label = copy(a, w->label);
	known->writer.parent = copy(a, w->parent);
	known->writer.sessions = copy(a, w->sessions);
	known->age = known->run->age;
	renew(cache, known, w);
}

static struct known_writer *add(struct writer_cache *cache, struct known_run *run,
				const struct writer *w)
{
	size_t bucket = writer_bucket(cache, w->run_id, w->client);
	struct known_writer **numbers = &cache->numbers[number_bucket(w->run_id, w->writer)];
	struct known_writer *known = arena_new_of(cache->arena, struct known_writer);

	known->run = run;
	known->writer.client = copy(cache->arena, w->client);
	known->next = cache->writers[bucket];
	cache->writers[bucket] = known;
	known->writer.writer = w->writer;
	known->next_number = *numbers;
	*numbers = known;
	cache->count++;
	return known;
}

void writer_cache_keep(struct writer_cache *cache, const struct writer *w)
{
	struct known_run *run = find_run(cache, w->run_id);
	struct known_writer *known = find_writer(cache, w->run_id, w->client);

	if (!run || w->recent.len > BATCH_RECENT_MAX)
		return;
	if (known && known->writer.writer != w->writer)
		known = NULL; /* the database went back to an earlier state */
	if (known && known->age == run->age && known->writer.session == w->session) {
		renew(cache, known, w);
		return;
	}
	learn(cache, known ? known : add(cache, run, w), w);
}
