#include "match_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 64 };

struct entry {
	uint64_t columns; /* 0: free */
	size_t column;
	enum filter_op op;
	bool ignore_case;
	char *text; /* of the expression */
	size_t text_len;
	uint8_t *results;
	size_t count;
	uint64_t used;
};

struct match_cache {
	pthread_mutex_t lock;
	struct entry entries[ENTRIES];
	size_t bytes;
	size_t limit;
	uint64_t clock;
};

static void *claim(void *p)
{
	if (!p)
		abort();
	return p;
}

struct match_cache *match_cache_new(size_t bytes)
{
	struct match_cache *c = claim(calloc(1, sizeof(*c)));

	pthread_mutex_init(&c->lock, NULL);
	c->limit = bytes;
	return c;
}

static void drop(struct match_cache *c, struct entry *e)
{
	if (!e->columns)
		return;
	c->bytes -= e->count + e->text_len;
	free(e->results);
	free(e->text);
	*e = (struct entry){ .columns = 0 };
}

void match_cache_free(struct match_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < ENTRIES; i++)
		drop(c, &c->entries[i]);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static bool is_of(const struct entry *e, const struct match_key *key)
{
	const struct str text = key->node->values[0].text;

	return e->columns == key->columns && e->column == key->column && e->op == key->node->op &&
	       e->ignore_case == key->node->ignore_case &&
	       str_equal((struct str){ e->text, e->text_len }, text);
}

static struct entry *find(struct match_cache *c, const struct match_key *key)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		if (c->entries[i].columns && is_of(&c->entries[i], key))
			return &c->entries[i];
	}
	return NULL;
}

size_t match_cache_get(struct match_cache *c, const struct match_key *key, uint8_t *results,
		       size_t count)
{
	struct entry *e;
	size_t known = 0;

	pthread_mutex_lock(&c->lock);
	e = find(c, key);
	if (e) {
		known = e->count < count ? e->count : count;
		memcpy(results, e->results, known);
		e->used = ++c->clock;
	}
	pthread_mutex_unlock(&c->lock);
	return known;
}

/* A free entry, or the least recently used one. */
static struct entry *oldest(struct match_cache *c)
{
	struct entry *found = &c->entries[0];

	for (size_t i = 1; i < ENTRIES && found->columns; i++) {
		if (!c->entries[i].columns || c->entries[i].used < found->used)
			found = &c->entries[i];
	}
	return found;
}

/* The oldest entry that holds something. */
static struct entry *oldest_held(struct match_cache *c)
{
	struct entry *found = NULL;

	for (size_t i = 0; i < ENTRIES; i++) {
		if (c->entries[i].columns && (!found || c->entries[i].used < found->used))
			found = &c->entries[i];
	}
	return found;
}

static void set(struct match_cache *c, struct entry *e, const struct match_key *key,
		const uint8_t *results, size_t count)
{
	const struct str text = key->node->values[0].text;

	*e = (struct entry){ .columns = key->columns,
			     .column = key->column,
			     .op = key->node->op,
			     .ignore_case = key->node->ignore_case,
			     .text = claim(malloc(text.len + 1)),
			     .text_len = text.len,
			     .results = claim(malloc(count + 1)),
			     .count = count,
			     .used = ++c->clock };
	memcpy(e->text, text.at, text.len);
	memcpy(e->results, results, count);
	c->bytes += count + text.len;
}

void match_cache_put(struct match_cache *c, const struct match_key *key, const uint8_t *results,
		     size_t count)
{
	const size_t bytes = count + key->node->values[0].text.len;
	struct entry *e;

	if (!key->columns || count < VERDICT_CACHE_LEAST || bytes > c->limit)
		return;
	pthread_mutex_lock(&c->lock);
	e = find(c, key);
	if (e)
		drop(c, e);
	while (c->bytes + bytes > c->limit)
		drop(c, oldest_held(c));
	e = oldest(c);
	drop(c, e);
	set(c, e, key, results, count);
	pthread_mutex_unlock(&c->lock);
}
