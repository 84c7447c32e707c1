#include "wandb_door.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"
#include "ttl_cache.h"

/* An hour: what is forgotten costs a look into the database. */
enum { KEEPS_S = 3600, KEY_MAX = 512, REPEATS = 100 /* beside enum wandb_note */, FOLLOWS };

struct wandb_door {
	struct ttl_cache *notes;   /* of a number, which only some need */
	struct ttl_cache *follows; /* values are struct wandb_follow */
	_Atomic int64_t high_us;   /* monotonic: the load was high then; 0: never */
};

struct wandb_door *wandb_door_new(void)
{
	struct wandb_door *door = calloc(1, sizeof(*door));

	if (!door)
		abort();
	door->notes = ttl_cache_new(WANDB_DOOR_PLACES, sizeof(int32_t), (int64_t)KEEPS_S * 1000000);
	door->follows = ttl_cache_new(WANDB_DOOR_FOLLOWS, sizeof(struct wandb_follow),
				      (int64_t)KEEPS_S * 1000000);
	return door;
}

void wandb_door_free(struct wandb_door *door)
{
	if (!door)
		return;
	ttl_cache_free(door->notes);
	ttl_cache_free(door->follows);
	free(door);
}

/* No name holds a line end. */
static struct str key_of(char text[static KEY_MAX], int note, int64_t run_id, struct str client,
			 struct str detail)
{
	int len = snprintf(text, KEY_MAX, "%d\n%lld\n%.*s\n%.*s", note, (long long)run_id,
			   STR_ARG(client), STR_ARG(detail));

	return (struct str){ text, len < KEY_MAX ? (size_t)len : KEY_MAX - 1 };
}

static void save(struct wandb_door *door, struct str key, int32_t value)
{
	ttl_cache_save(door->notes, key, ttl_cache_generation(door->notes), &value);
}

bool wandb_door_knows(struct wandb_door *door, enum wandb_note note, int64_t run_id,
		      struct str client, struct str detail)
{
	char text[KEY_MAX];
	int32_t found;

	return ttl_cache_find(door->notes, key_of(text, note, run_id, client, detail), &found);
}

void wandb_door_note(struct wandb_door *door, enum wandb_note note, int64_t run_id,
		     struct str client, struct str detail)
{
	char text[KEY_MAX];

	save(door, key_of(text, note, run_id, client, detail), 0);
}

void wandb_door_note_repeats(struct wandb_door *door, int64_t run_id, struct str client,
			     int32_t lane)
{
	char text[KEY_MAX];

	save(door, key_of(text, REPEATS, run_id, client, STR("")), lane);
}

int32_t wandb_door_repeats(struct wandb_door *door, int64_t run_id, struct str client)
{
	char text[KEY_MAX];
	int32_t lane;
	bool is_noted =
		ttl_cache_find(door->notes, key_of(text, REPEATS, run_id, client, STR("")), &lane);

	return is_noted ? lane : -1;
}

bool wandb_door_follows(struct wandb_door *door, int64_t run_id, struct str client,
			struct wandb_follow *ret_follow)
{
	char text[KEY_MAX];

	return ttl_cache_find(door->follows, key_of(text, FOLLOWS, run_id, client, STR("")),
			      ret_follow);
}

void wandb_door_note_follow(struct wandb_door *door, int64_t run_id, struct str client,
			    const struct wandb_follow *follow)
{
	char text[KEY_MAX];

	ttl_cache_save(door->follows, key_of(text, FOLLOWS, run_id, client, STR("")),
		       ttl_cache_generation(door->follows), follow);
}

bool wandb_door_is_pressed(struct wandb_door *door, const struct load *load, int64_t now_us)
{
	if (load_is_high(load)) {
		atomic_store_explicit(&door->high_us, now_us, memory_order_relaxed);
		return true;
	}
	return load_was_high(atomic_load_explicit(&door->high_us, memory_order_relaxed), now_us);
}
