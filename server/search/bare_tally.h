#ifndef BARE_TALLY_H
#define BARE_TALLY_H

#include "filter.h"
#include "tally.h"

/* Finds the sections of a project with keys that are named without one. */
struct bare_tally {
	struct tally tally;
	struct filter_bare *bare;
};

struct bare_tally bare_tally_of(struct filter_bare *bare, int64_t deadline_us);

#endif
