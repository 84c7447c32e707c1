#ifndef BATCH_MAKE_H
#define BATCH_MAKE_H

#include "ingest.h"
#include "request.h"

/* Returns an empty batch for the run of the request's path, in the request's arena; q owns it. */
struct ingest_batch *batch_make(struct request *q);
/* Hands the batch to the flusher and frees the worker; batch->done completes the request. */
err_t batch_submit(struct request *q, struct ingest_batch *batch);

#endif
