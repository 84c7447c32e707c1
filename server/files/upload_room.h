#ifndef UPLOAD_ROOM_H
#define UPLOAD_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/*
 * The room for uploads in progress of an entity, and of each of its
 * projects: until one is recorded no sum of the database has it, so
 * concurrent uploads would each find the room that is there for one of them.
 *
 *   claim      with as many bytes as it announced, or as have come: others cannot use them
 *   settling   it is being recorded: its bytes may be in the database's sum already, or not yet
 *   released   they are in the sum, or it was torn
 *
 * So that nothing is counted twice or not at all, a caller passes what it had seen before it read
 * the sum, and has to read it again if a claim was released since. Only for this server: uploads to
 * others count when they are recorded.
 */
struct upload_room;
struct upload_claim;

struct upload_room *upload_room_new(void);
void upload_room_free(struct upload_room *room);

/* Files that uploads of many files hold open besides the one that comes: shared by all uploads of the server. Never waits. */
enum { UPLOAD_FILES_MAX = 1024 };
bool upload_room_take_file(struct upload_room *room);
void upload_room_give_files(struct upload_room *room, size_t count);

/* Uploads whose parts are being joined, by a worker each: false when there are `limit`. */
bool upload_room_begin_join(struct upload_room *room, size_t limit);
void upload_room_end_join(struct upload_room *room);

enum upload_level { UPLOAD_OF_ENTITY, UPLOAD_OF_PROJECT, UPLOAD_LEVELS };

/*
 * A claim of no bytes yet; released with the arena at the latest. ids: of the entity and of the
 * project, 0: not there yet.
 */
struct upload_claim *upload_claim_new(struct upload_room *room, struct arena *a,
				      const int64_t ids[static UPLOAD_LEVELS]);
void upload_claim_release(struct upload_claim *claim);

/* Before the sum is read. */
uint64_t upload_claim_seen(const struct upload_claim *claim);

enum upload_answer {
	UPLOAD_FITS,      /* and the claim has as many bytes */
	UPLOAD_TOO_LARGE, /* ret_others: the level, and the bytes of others there */
	UPLOAD_ASK_AGAIN, /* the sum is old */
	UPLOAD_LATE,      /* none was released before the time was over */
};
struct upload_ask {
	int64_t free_bytes[UPLOAD_LEVELS]; /* without coming bytes; INT64_MAX: no limit */
	int64_t bytes;                     /* of this one */
	uint64_t seen;                     /* of upload_claim_seen() */
	int64_t deadline_ms;               /* from now: the time to wait for settling claims */
};
struct upload_others {
	enum upload_level level;
	int64_t bytes;
};
/* Claims bytes to come, next to all others. May wait for those that settle. */
enum upload_answer upload_claim_begin(struct upload_claim *claim, const struct upload_ask *ask,
				      struct upload_others *ret_others);
/*
 * More bytes of one that did not announce its size; never waits. `seen` and the time do not count.
 */
enum upload_answer upload_claim_grow(struct upload_claim *claim, const struct upload_ask *ask,
				     struct upload_others *ret_others);
/* Before it is recorded, next to those that are. May wait for them. */
enum upload_answer upload_claim_settle(struct upload_claim *claim, const struct upload_ask *ask,
				       struct upload_others *ret_others);

#endif
