#include "wandb_session_cache.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "server_load.h"
#include "ttl_cache.h"

/* An hour: what is forgotten costs a look into the database. */
enum { KEEPS_S = 3600, KEY_MAX = 512, REPEATS = 100 /* beside enum wandb_note */, FOLLOWS };

struct wandb_session_cache {
	struct ttl_cache *notes;   /* of a number, which only some need */
	struct ttl_cache *follows; /* values are struct wandb_follow */
	_Atomic int64_t high_us;   /* monotonic: the load was high then; 0: never */
};

struct wandb_session_cache *wandb_session_cache_new(void)
{
	struct wandb_session_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		abort();
	cache->notes = ttl_cache_new(WANDB_SESSION_CACHE_SLOTS, sizeof(int32_t),
				     (int64_t)KEEPS_S * 1000000);
	cache->follows = ttl_cache_new(WANDB_SESSION_CACHE_FOLLOWS, sizeof(struct wandb_follow),
				       (int64_t)KEEPS_S * 1000000);
	return cache;
}

void wandb_session_cache_free(struct wandb_session_cache *cache)
{
	if (!cache)
		return;
	ttl_cache_free(cache->notes);
	ttl_cache_free(cache->follows);
	free(cache);
}

/* No name holds a line end. */
static struct str key_of(char text[static KEY_MAX], int note, int64_t run_id, struct str client,
			 struct str detail)
{
	int len = snprintf(text, KEY_MAX, "%d\n%lld\n%.*s\n%.*s", note, (long long)run_id,
			   STR_ARG(client), STR_ARG(detail));

	return (struct str){ text, len < KEY_MAX ? (size_t)len : KEY_MAX - 1 };
}

static void save(struct wandb_session_cache *cache, struct str key, int32_t value)
{
	ttl_cache_save(cache->notes, key, ttl_cache_generation(cache->notes), &value);
}

bool wandb_session_cache_knows(struct wandb_session_cache *cache, enum wandb_note note,
			       int64_t run_id, struct str client, struct str detail)
{
	char text[KEY_MAX];
	int32_t found;

	return ttl_cache_find(cache->notes, key_of(text, note, run_id, client, detail), &found);
}

void wandb_session_cache_note(struct wandb_session_cache *cache, enum wandb_note note,
			      int64_t run_id, struct str client, struct str detail)
{
	char text[KEY_MAX];

	save(cache, key_of(text, note, run_id, client, detail), 0);
}

void wandb_session_cache_note_repeats(struct wandb_session_cache *cache, int64_t run_id,
				      struct str client, int32_t lane)
{
	char text[KEY_MAX];

	save(cache, key_of(text, REPEATS, run_id, client, STR("")), lane);
}

int32_t wandb_session_cache_repeats(struct wandb_session_cache *cache, int64_t run_id,
				    struct str client)
{
	char text[KEY_MAX];
	int32_t lane;
	bool is_noted =
		ttl_cache_find(cache->notes, key_of(text, REPEATS, run_id, client, STR("")), &lane);

	return is_noted ? lane : -1;
}

bool wandb_session_cache_follows(struct wandb_session_cache *cache, int64_t run_id,
				 struct str client, struct wandb_follow *ret_follow)
{
	char text[KEY_MAX];

	return ttl_cache_find(cache->follows, key_of(text, FOLLOWS, run_id, client, STR("")),
			      ret_follow);
}

void wandb_session_cache_note_follow(struct wandb_session_cache *cache, int64_t run_id,
				     struct str client, const struct wandb_follow *follow)
{
	char text[KEY_MAX];

	ttl_cache_save(cache->follows, key_of(text, FOLLOWS, run_id, client, STR("")),
		       ttl_cache_generation(cache->follows), follow);
}

bool wandb_session_cache_is_pressed(struct wandb_session_cache *cache,
				    const struct server_load *load, int64_t now_us)
{
	if (server_load_is_high(load)) {
		atomic_store_explicit(&cache->high_us, now_us, memory_order_relaxed);
		return true;
	}
	return server_load_was_high(atomic_load_explicit(&cache->high_us, memory_order_relaxed),
				    now_us);
}
