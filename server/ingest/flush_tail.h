#ifndef FLUSH_TAIL_H
#define FLUSH_TAIL_H

#include "flush.h"

/*
 * What a flush puts into a run's tail. Small blocks that follow one another wait until a pack of them is
 * full; whatever else comes of their stream closes the pack first, so that the tail's order is theirs.
 */

/* Everything of `row` but its seq is set. */
void flush_put_tail(struct flush *f, struct run_work *work, const struct tail_row *row);
/* Closes what is open of a run. */
void flush_close_packs(struct flush *f, struct run_work *work);

#endif
