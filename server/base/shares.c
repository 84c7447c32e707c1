#include "shares.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

enum { BUCKETS = 1024 };

struct share_owner {
	struct share_owner *next;
	size_t count;
	size_t len;
	char name[];
};

struct shares {
	pthread_mutex_t lock;
	struct share_owner *buckets[BUCKETS]; /* by hash of the name */
};

static void free_shares(void *p)
{
	struct shares *s = p;

	for (size_t i = 0; i < BUCKETS; i++) {
		struct share_owner *next;

		for (struct share_owner *o = s->buckets[i]; o; o = next) {
			next = o->next;
			free(o);
		}
	}
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct shares *shares_new(struct arena *a)
{
	struct shares *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	pthread_mutex_init(&s->lock, NULL);
	arena_defer(a, free_shares, s);
	return s;
}

/* The link that points to the owner, or would. */
static struct share_owner **find(struct shares *s, struct str name)
{
	struct share_owner **at = &s->buckets[str_hash(STR_HASH_START, name) % BUCKETS];

	while (*at && !str_equal((struct str){ (*at)->name, (*at)->len }, name))
		at = &(*at)->next;
	return at;
}

static struct share_owner *owner_new(struct str name)
{
	struct share_owner *o = malloc(sizeof(*o) + name.len);

	if (!o)
		abort();
	*o = (struct share_owner){ .len = name.len };
	if (name.len)
		memcpy(o->name, name.at, name.len);
	return o;
}

struct share_owner *shares_take(struct shares *s, struct str owner, size_t count, size_t limit)
{
	struct share_owner **at;
	struct share_owner *taken = NULL;
	size_t had;

	pthread_mutex_lock(&s->lock);
	at = find(s, owner);
	had = *at ? (*at)->count : 0;
	if (count && count <= limit && had <= limit - count) {
		if (!*at)
			*at = owner_new(owner);
		taken = *at;
		taken->count += count;
	}
	pthread_mutex_unlock(&s->lock);
	return taken;
}

void shares_give(struct shares *s, struct share_owner *owner, size_t count)
{
	if (!owner)
		return;
	pthread_mutex_lock(&s->lock);
	owner->count -= count;
	if (!owner->count) {
		*find(s, (struct str){ owner->name, owner->len }) = owner->next;
		free(owner);
	}
	pthread_mutex_unlock(&s->lock);
}

size_t shares_of(size_t limit, unsigned percent)
{
	size_t part = limit / 100 * percent + limit % 100 * percent / 100;

	if (percent >= 100)
		return SIZE_MAX;
	return part ? part : 1;
}
