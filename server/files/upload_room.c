#include "upload_room.h"

#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "dlist.h"

struct level_room {
	struct level_room *next, *previous;
	enum upload_level level;
	int64_t id;           /* of the entity or the project */
	int64_t coming_bytes; /* of all claims that do not settle */
	int64_t settling_bytes;
	uint64_t released; /* how many were */
	size_t claims;
};

struct upload_room {
	pthread_mutex_t lock;
	pthread_cond_t released;
	struct level_room *first; /* of which there are claims */
	size_t files;             /* that were taken */
	size_t joins;
};

struct upload_claim {
	struct upload_room *room;
	struct level_room *rooms[UPLOAD_LEVELS]; /* NULL: released */
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

/* ---- open files -------------------------------------------------------------------------------- */

bool upload_room_take_file(struct upload_room *room)
{
	bool is_free;

	pthread_mutex_lock(&room->lock);
	is_free = room->files < UPLOAD_FILES_MAX;
	room->files += is_free;
	pthread_mutex_unlock(&room->lock);
	return is_free;
}

void upload_room_give_files(struct upload_room *room, size_t count)
{
	pthread_mutex_lock(&room->lock);
	room->files -= count;
	pthread_mutex_unlock(&room->lock);
}

/* ---- joins ------------------------------------------------------------------------------------- */

bool upload_room_begin_join(struct upload_room *room, size_t limit)
{
	bool is_free;

	pthread_mutex_lock(&room->lock);
	is_free = room->joins < limit;
	room->joins += is_free;
	pthread_mutex_unlock(&room->lock);
	return is_free;
}

void upload_room_end_join(struct upload_room *room)
{
	pthread_mutex_lock(&room->lock);
	room->joins--;
	pthread_mutex_unlock(&room->lock);
}

/* ---- claims ------------------------------------------------------------------------------------ */

static struct level_room *enter(struct upload_room *room, enum upload_level level, int64_t id)
{
	struct level_room *of = room->first;

	while (of && (of->level != level || of->id != id))
		of = of->next;
	if (!of) {
		of = calloc(1, sizeof(*of));
		if (!of)
			abort();
		of->level = level;
		of->id = id;
		DLIST_ADD(room->first, of);
	}
	of->claims++;
	return of;
}

static void leave(struct upload_room *room, struct level_room *of)
{
	if (--of->claims)
		return;
	DLIST_REMOVE(room->first, of);
	free(of);
}

static void release(void *p)
{
	upload_claim_release(p);
}

struct upload_claim *upload_claim_new(struct upload_room *room, struct arena *a,
				      const int64_t ids[static UPLOAD_LEVELS])
{
	struct upload_claim *claim = arena_new_of(a, struct upload_claim);

	claim->room = room;
	pthread_mutex_lock(&room->lock);
	for (enum upload_level i = 0; i < UPLOAD_LEVELS; i++)
		claim->rooms[i] = enter(room, i, ids[i]);
	pthread_mutex_unlock(&room->lock);
	arena_defer(a, release, claim);
	return claim;
}

static void count(const struct upload_claim *claim, int64_t bytes)
{
	for (size_t i = 0; i < UPLOAD_LEVELS; i++) {
		struct level_room *of = claim->rooms[i];

		*(claim->is_settling ? &of->settling_bytes : &of->coming_bytes) += bytes;
	}
}

/* All that is released for a project is released for its entity, too. */
static const struct level_room *widest(const struct upload_claim *claim)
{
	return claim->rooms[UPLOAD_OF_ENTITY];
}

void upload_claim_release(struct upload_claim *claim)
{
	struct upload_room *room = claim->room;

	if (!widest(claim))
		return;
	pthread_mutex_lock(&room->lock);
	count(claim, -claim->bytes);
	claim->rooms[UPLOAD_OF_ENTITY]->released +=
		claim->is_settling; /* nothing else enters the sum */
	for (size_t i = 0; i < UPLOAD_LEVELS; i++) {
		leave(room, claim->rooms[i]);
		claim->rooms[i] = NULL;
	}
	pthread_cond_broadcast(&room->released);
	pthread_mutex_unlock(&room->lock);
}

uint64_t upload_claim_seen(const struct upload_claim *claim)
{
	uint64_t seen;

	pthread_mutex_lock(&claim->room->lock);
	seen = widest(claim)->released;
	pthread_mutex_unlock(&claim->room->lock);
	return seen;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static void take(struct upload_claim *claim, int64_t bytes, bool is_settling)
{
	count(claim, -claim->bytes);
	claim->bytes = bytes;
	claim->is_settling = is_settling;
	count(claim, bytes);
}

static enum upload_answer wait_released(const struct upload_claim *claim,
					const struct upload_ask *ask)
{
	int64_t until_us = clock_mono_us() + ask->deadline_ms * 1000;
	struct timespec until = clock_timespec(until_us);

	while (widest(claim)->released == ask->seen) {
		if (pthread_cond_timedwait(&claim->room->released, &claim->room->lock, &until))
			return UPLOAD_LATE;
	}
	return UPLOAD_ASK_AGAIN;
}

/* The bytes of others there, next to which it has to fit. */
static int64_t others_of(const struct upload_claim *claim, enum upload_level level,
			 bool is_settling)
{
	const struct level_room *of = claim->rooms[level];

	return of->settling_bytes + (is_settling ? 0 : of->coming_bytes - claim->bytes);
}

/* Without any others: a claim that fits then is asked to come again. */
static bool is_too_large_alone(const struct upload_claim *claim, const struct upload_ask *ask,
			       struct upload_others *others)
{
	for (enum upload_level i = 0; i < UPLOAD_LEVELS; i++) {
		*others = (struct upload_others){ i, claim->rooms[i]->settling_bytes };
		if (ask->bytes > ask->free_bytes[i])
			return true;
	}
	return false;
}

/* The level where it does not fit with the others; UPLOAD_ASK_AGAIN: some of them settle there. */
static enum upload_answer fits(const struct upload_claim *claim, const struct upload_ask *ask,
			       bool is_settling, struct upload_others *others)
{
	enum upload_answer answer = UPLOAD_FITS;

	for (enum upload_level i = 0; i < UPLOAD_LEVELS && answer != UPLOAD_TOO_LARGE; i++) {
		*others = (struct upload_others){ i, others_of(claim, i, is_settling) };
		if (ask->bytes > ask->free_bytes[i] - others->bytes)
			answer = claim->rooms[i]->settling_bytes ? UPLOAD_ASK_AGAIN
								 : UPLOAD_TOO_LARGE;
	}
	return answer;
}

/* The claim itself does not settle yet. */
static enum upload_answer ask_locked(struct upload_claim *claim, const struct upload_ask *ask,
				     bool is_settling, struct upload_others *ret_others)
{
	enum upload_answer answer;

	if (widest(claim)->released != ask->seen)
		return UPLOAD_ASK_AGAIN;
	if (is_too_large_alone(claim, ask, ret_others))
		return UPLOAD_TOO_LARGE;
	answer = fits(claim, ask, is_settling, ret_others);
	if (answer == UPLOAD_ASK_AGAIN)
		return wait_released(claim, ask);
	if (answer == UPLOAD_FITS)
		take(claim, ask->bytes, is_settling);
	return answer;
}

static enum upload_answer ask_for(struct upload_claim *claim, const struct upload_ask *ask,
				  bool is_settling, struct upload_others *ret_others)
{
	enum upload_answer answer;

	pthread_mutex_lock(&claim->room->lock);
	answer = ask_locked(claim, ask, is_settling, ret_others);
	pthread_mutex_unlock(&claim->room->lock);
	return answer;
}

enum upload_answer upload_claim_begin(struct upload_claim *claim, const struct upload_ask *ask,
				      struct upload_others *ret_others)
{
	return ask_for(claim, ask, false, ret_others);
}

enum upload_answer upload_claim_settle(struct upload_claim *claim, const struct upload_ask *ask,
				       struct upload_others *ret_others)
{
	return ask_for(claim, ask, true, ret_others);
}

/* Settling bytes may be in the sum or not: they are checked when this one has come. */
static bool has_room_to_grow(const struct upload_claim *claim, const struct upload_ask *ask,
			     struct upload_others *others)
{
	if (is_too_large_alone(claim, ask, others))
		return false;
	for (enum upload_level i = 0; i < UPLOAD_LEVELS; i++) {
		*others = (struct upload_others){ i, claim->rooms[i]->coming_bytes - claim->bytes };
		if (ask->bytes > ask->free_bytes[i] - others->bytes)
			return false;
	}
	return true;
}

enum upload_answer upload_claim_grow(struct upload_claim *claim, const struct upload_ask *ask,
				     struct upload_others *ret_others)
{
	bool has_room;

	pthread_mutex_lock(&claim->room->lock);
	has_room = has_room_to_grow(claim, ask, ret_others);
	if (has_room && ask->bytes > claim->bytes)
		take(claim, ask->bytes, false);
	pthread_mutex_unlock(&claim->room->lock);
	return has_room ? UPLOAD_FITS : UPLOAD_TOO_LARGE;
}
