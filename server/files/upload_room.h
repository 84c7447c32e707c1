#ifndef UPLOAD_ROOM_H
#define UPLOAD_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

/*
 * What uploads of an entity, and of each of its projects, will take while they come: until one is written down no sum of
 * the database has it, so uploads that come at once would each find the room that is there for one of them.
 *
 *   claim      with as many bytes as it says, or as have come: they are not there for others
 *   settling   it is being written down: its bytes may be in the database's sum already, or not yet
 *   released   they are in the sum, or it was torn
 *
 * So that nothing is counted twice or not at all, who asks says what it had seen before it read the sum, and
 * is sent to read it again where one was released since. Of this server alone: others' uploads count when
 * they are written down.
 */
struct upload_room;
struct upload_claim;

struct upload_room *upload_room_new(void);
void upload_room_free(struct upload_room *room);

enum upload_level { UPLOAD_OF_ENTITY, UPLOAD_OF_PROJECT, UPLOAD_LEVELS };

/* Of no bytes yet; released with the arena at the latest. ids: of the entity and of the project, 0: not there yet. */
struct upload_claim *upload_claim_new(struct upload_room *room, struct arena *a,
				      const int64_t ids[static UPLOAD_LEVELS]);
void upload_claim_release(struct upload_claim *claim);

/* Before the sum is read. */
uint64_t upload_claim_seen(const struct upload_claim *claim);

enum upload_answer {
	UPLOAD_FITS,      /* and the claim has as many bytes */
	UPLOAD_TOO_LARGE, /* ret_others: where, and what others' have there */
	UPLOAD_ASK_AGAIN, /* the sum is old */
	UPLOAD_LATE,      /* nobody was done before the time was over */
};
struct upload_ask {
	int64_t free_bytes[UPLOAD_LEVELS]; /* without what comes; INT64_MAX: no limit */
	int64_t bytes;                     /* of this one */
	uint64_t seen;                     /* of upload_claim_seen() */
	int64_t deadline_ms; /* from now: how long those that settle may be waited for */
};
struct upload_others {
	enum upload_level level;
	int64_t bytes;
};
/* To come, beside all others. May wait for those that settle. */
enum upload_answer upload_claim_begin(struct upload_claim *claim, const struct upload_ask *ask,
				      struct upload_others *ret_others);
/* More of one that did not say how large it is; never waits. `seen` and the time do not count. */
enum upload_answer upload_claim_grow(struct upload_claim *claim, const struct upload_ask *ask,
				     struct upload_others *ret_others);
/* To be written down, beside those that are. May wait for them. */
enum upload_answer upload_claim_settle(struct upload_claim *claim, const struct upload_ask *ask,
				       struct upload_others *ret_others);

#endif
