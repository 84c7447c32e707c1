#ifndef BATCH_API_H
#define BATCH_API_H

#include "request.h"

/* POST …/runs/{run}/batch: what a writer has to say, all streams in one request. */
err_t batch_api_post(struct request *q);
/* POST …/runs/{run}/history: bare rows by hand; makes the run if need be. */
err_t batch_api_post_rows(struct request *q);

#endif
