#ifndef FLUSH_TAIL_H
#define FLUSH_TAIL_H

#include "flush.h"

/*
 * The blocks that a flush puts into a run's tail. Small blocks that follow
 * one another wait until a pack of them is full; any other block of their
 * stream closes the pack first, so that the tail keeps their order.
 */

/* Everything of `row` but its seq is set. */
void flush_put_tail(struct flush *f, struct run_work *work, const struct tail_row *row);
/* Closes the open packs of a run. */
void flush_close_packs(struct flush *f, struct run_work *work);

#endif
