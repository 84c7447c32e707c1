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

/*
 * Changes of writers are stored with the last block that the flush put into the run's tail
 * (writer_marks.h): an update of a writer's row costs more than the rest of its batch. Call it when
 * the tail is complete. Writers that have a mark in it need no update of their row.
 */
void flush_put_marks(struct flush *f);

#endif
