#ifndef TALLY_H
#define TALLY_H

#include "bits.h"
#include "columns.h"

/*
 * What is counted over rows of columns: all of a project's at once, or those of one window of its documents after
 * another. What is kept of a text is a copy.
 */
struct tally {
	void (*add)(struct tally *t, const struct columns *c, struct bits rows);
};

#endif
