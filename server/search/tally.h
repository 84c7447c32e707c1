#ifndef TALLY_H
#define TALLY_H

#include "bits.h"
#include "clock.h"
#include "columns.h"

/*
 * A count over rows of columns: all of a project's at once, or those of one window of its documents
 * after another. Texts are kept as copies.
 */
struct tally {
	/* False: the time is over, and not all was counted. */
	bool (*add)(struct tally *t, const struct columns *c, struct bits rows);
	int64_t deadline_us; /* monotonic; 0: none */
};

static inline bool tally_is_late(const struct tally *t)
{
	return t->deadline_us && clock_mono_us() > t->deadline_us;
}

#endif
