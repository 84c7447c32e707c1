#ifndef BATCH_API_H
#define BATCH_API_H

#include "ingest.h"
#include "request.h"

/* POST …/runs/{run}/batch: what a writer has to say, all streams in one request. */
err_t batch_api_post(struct request *q);
/* POST …/runs/{run}/history: bare rows by hand; makes the run if need be. */
err_t batch_api_post_rows(struct request *q);

/* Something for the flusher, of the run of the path, in the request's arena; q is its owner. */
struct ingest_batch *batch_api_new(struct request *q);
/* The worker is free from here on; batch->done completes the request. */
err_t batch_api_submit(struct request *q, struct ingest_batch *batch);

#endif
