#ifndef FLUSH_JOIN_H
#define FLUSH_JOIN_H

#include "flush.h"

/*
 * A client joins, in the same transaction as others that join and as batches: thousands of writers
 * of a run come at the same time, and each would lock it by itself. b->joined is the answer.
 */
err_t flush_join(struct flush *f, struct run_work *work, struct ingest_batch *b);

#endif
