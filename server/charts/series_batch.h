#ifndef SERIES_BATCH_H
#define SERIES_BATCH_H

#include "series_ask.h"

/*
 * A page of charts in batches: some runs and keys whose cells and buckets together have a bound, so that
 * memory has one too, whatever is asked for. A batch is some keys of one member, or all of several.
 */

/* Where in some members' keys we are. */
struct place {
	size_t member;
	size_t key;
};

/* The keys that are walked through. */
struct span {
	size_t first;
	size_t count;
};

struct batch {
	const struct series_member *members;
	size_t member_count;
	const int32_t *ids;
	size_t id_count;
};

/* The batch that begins at a place; `ids` are the panel's keys. */
struct batch batch_next(const struct series_panel *panel, const int32_t *ids,
			const struct series_members *all, const struct place *at, struct span keys);

/* To the place behind it: the member's other keys, or the next member. */
void batch_pass(struct place *at, const struct batch *b, struct span keys);

/* Of how many keys all buckets may be held at once: one at least, `left` at most. */
size_t batch_keys(const struct series_panel *panel, size_t left);

#endif
