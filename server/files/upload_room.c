#include "upload_room.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "dlist.h"

struct entity_room {
	struct entity_room *next, *previous;
	int64_t entity_id;
	int64_t coming_bytes; /* of all claims that do not settle */
	int64_t settling_bytes;
	uint64_t released; /* how many were */
	size_t claims;
};

struct upload_room {
	pthread_mutex_t lock;
	pthread_cond_t released;
	struct entity_room *first; /* of which there are claims */
};

struct upload_claim {
	struct upload_room *room;
	struct entity_room *entity; /* NULL: released */
	int64_t bytes;
	bool is_settling;
};

struct upload_room *upload_room_new(void)
{
	struct upload_room *room = calloc(1, sizeof(*room));

	if (!room)
		abort();
	pthread_mutex_init(&room->lock, NULL);
	clock_cond_init(&room->released);
	return room;
}

void upload_room_free(struct upload_room *room)
{
	if (!room)
		return;
	pthread_cond_destroy(&room->released);
	pthread_mutex_destroy(&room->lock);
	free(room);
}

/* ---- claims ------------------------------------------------------------------------------------ */

static struct entity_room *enter(struct upload_room *room, int64_t entity_id)
{
	struct entity_room *entity = room->first;

	while (entity && entity->entity_id != entity_id)
		entity = entity->next;
	if (!entity) {
		entity = calloc(1, sizeof(*entity));
		if (!entity)
			abort();
		entity->entity_id = entity_id;
		DLIST_ADD(room->first, entity);
	}
	entity->claims++;
	return entity;
}

static void leave(struct upload_room *room, struct entity_room *entity)
{
	if (--entity->claims)
		return;
	DLIST_REMOVE(room->first, entity);
	free(entity);
}

static void release(void *p)
{
	upload_claim_release(p);
}

struct upload_claim *upload_claim_new(struct upload_room *room, struct arena *a, int64_t entity_id)
{
	struct upload_claim *claim = arena_new_of(a, struct upload_claim);

	claim->room = room;
	pthread_mutex_lock(&room->lock);
	claim->entity = enter(room, entity_id);
	pthread_mutex_unlock(&room->lock);
	arena_defer(a, release, claim);
	return claim;
}

static int64_t *count_of(const struct upload_claim *claim)
{
	return claim->is_settling ? &claim->entity->settling_bytes : &claim->entity->coming_bytes;
}

void upload_claim_release(struct upload_claim *claim)
{
	struct upload_room *room = claim->room;

	if (!claim->entity)
		return;
	pthread_mutex_lock(&room->lock);
	*count_of(claim) -= claim->bytes;
	claim->entity->released += claim->is_settling; /* nothing else moves into the sum */
	leave(room, claim->entity);
	claim->entity = NULL;
	pthread_cond_broadcast(&room->released);
	pthread_mutex_unlock(&room->lock);
}

uint64_t upload_claim_seen(const struct upload_claim *claim)
{
	uint64_t seen;

	pthread_mutex_lock(&claim->room->lock);
	seen = claim->entity->released;
	pthread_mutex_unlock(&claim->room->lock);
	return seen;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static void take(struct upload_claim *claim, int64_t bytes, bool is_settling)
{
	*count_of(claim) -= claim->bytes;
	claim->bytes = bytes;
	claim->is_settling = is_settling;
	*count_of(claim) += bytes;
}

static enum upload_answer wait_released(const struct upload_claim *claim,
					const struct upload_ask *ask)
{
	int64_t until_us = clock_mono_us() + ask->deadline_ms * 1000;
	struct timespec until = clock_timespec(until_us);

	while (claim->entity->released == ask->seen) {
		if (pthread_cond_timedwait(&claim->room->released, &claim->room->lock, &until))
			return UPLOAD_LATE;
	}
	return UPLOAD_ASK_AGAIN;
}

/* The claim itself does not settle yet. */
static enum upload_answer ask_locked(struct upload_claim *claim, const struct upload_ask *ask,
				     bool is_settling, int64_t *ret_others)
{
	const struct entity_room *entity = claim->entity;

	if (entity->released != ask->seen)
		return UPLOAD_ASK_AGAIN;
	*ret_others = entity->settling_bytes;
	if (ask->bytes > ask->free_bytes)
		return UPLOAD_TOO_LARGE; /* whatever becomes of the others */
	if (!is_settling)
		*ret_others += entity->coming_bytes - claim->bytes;
	if (ask->bytes > ask->free_bytes - *ret_others)
		return entity->settling_bytes ? wait_released(claim, ask) : UPLOAD_TOO_LARGE;
	take(claim, ask->bytes, is_settling);
	return UPLOAD_FITS;
}

static enum upload_answer ask_for(struct upload_claim *claim, const struct upload_ask *ask,
				  bool is_settling, int64_t *ret_others)
{
	enum upload_answer answer;

	pthread_mutex_lock(&claim->room->lock);
	answer = ask_locked(claim, ask, is_settling, ret_others);
	pthread_mutex_unlock(&claim->room->lock);
	return answer;
}

enum upload_answer upload_claim_begin(struct upload_claim *claim, const struct upload_ask *ask,
				      int64_t *ret_others)
{
	return ask_for(claim, ask, false, ret_others);
}

enum upload_answer upload_claim_settle(struct upload_claim *claim, const struct upload_ask *ask,
				       int64_t *ret_others)
{
	return ask_for(claim, ask, true, ret_others);
}

/* What settles may be in the sum or not: it is looked at when this one has come. */
enum upload_answer upload_claim_grow(struct upload_claim *claim, const struct upload_ask *ask,
				     int64_t *ret_others)
{
	enum upload_answer answer = UPLOAD_FITS;

	pthread_mutex_lock(&claim->room->lock);
	*ret_others = claim->entity->coming_bytes - claim->bytes;
	if (ask->bytes > ask->free_bytes - *ret_others)
		answer = UPLOAD_TOO_LARGE;
	else if (ask->bytes > claim->bytes)
		take(claim, ask->bytes, false);
	pthread_mutex_unlock(&claim->room->lock);
	return answer;
}
