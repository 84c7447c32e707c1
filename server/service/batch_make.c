#include "batch_make.h"

#include "app.h"
#include "auth.h"

struct ingest_batch *batch_make(struct request *q)
{
	struct ingest_batch *batch = arena_new_of(q->arena, struct ingest_batch);

	batch->arena = q->arena;
	batch->run_id = q->target->run_id;
	batch->project_id = q->target->project_id;
	batch->limit_us = q->target->crash_after_us;
	batch->deadline_us = q->deadline_us;
	batch->owner = q;
	return batch;
}

err_t batch_submit(struct request *q, struct ingest_batch *batch)
{
	request_detach(q);
	if (ingest_submit(q->app->ingest, batch))
		return NULL;
	request_complete(q,
			 err_new(q->arena, ERR_BUSY, "too many batches are waiting to be stored"));
	return NULL;
}
