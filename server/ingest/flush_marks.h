#ifndef FLUSH_MARKS_H
#define FLUSH_MARKS_H

#include "flush.h"

/*
 * Changes of writers are stored with the last block that the flush put into the run's tail
 * (writer_marks.h): an update of a writer's row costs more than the rest of its batch.
 */

/* The tail is complete: writers that have a mark in it need no update of their row. */
void flush_put_marks(struct flush *f);

#endif
