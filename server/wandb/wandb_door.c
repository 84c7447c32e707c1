#include "wandb_door.h"

#include <stdio.h>
#include <stdlib.h>

#include "fact_cache.h"

/* An hour: what is forgotten costs a look into the database. */
enum { KEEPS_S = 3600, KEY_MAX = 512 };

struct wandb_door {
	struct fact_cache *notes; /* of a byte that says nothing */
};

struct wandb_door *wandb_door_new(void)
{
	struct wandb_door *door = calloc(1, sizeof(*door));

	if (!door)
		abort();
	door->notes = fact_cache_new(WANDB_DOOR_PLACES, 1, (int64_t)KEEPS_S * 1000000);
	return door;
}

void wandb_door_free(struct wandb_door *door)
{
	if (!door)
		return;
	fact_cache_free(door->notes);
	free(door);
}

/* No name holds a line end. */
static struct str key_of(char text[static KEY_MAX], enum wandb_note note, int64_t run_id,
			 struct str client, struct str detail)
{
	int len = snprintf(text, KEY_MAX, "%d\n%lld\n%.*s\n%.*s", (int)note, (long long)run_id,
			   STR_ARG(client), STR_ARG(detail));

	return (struct str){ text, len < KEY_MAX ? (size_t)len : KEY_MAX - 1 };
}

bool wandb_door_knows(struct wandb_door *door, enum wandb_note note, int64_t run_id,
		      struct str client, struct str detail)
{
	char text[KEY_MAX];
	char found;

	return fact_cache_find(door->notes, key_of(text, note, run_id, client, detail), &found);
}

void wandb_door_note(struct wandb_door *door, enum wandb_note note, int64_t run_id,
		     struct str client, struct str detail)
{
	static const char nothing;
	char text[KEY_MAX];

	fact_cache_save(door->notes, key_of(text, note, run_id, client, detail),
			fact_cache_generation(door->notes), &nothing);
}
