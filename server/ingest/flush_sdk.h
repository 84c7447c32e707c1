#ifndef FLUSH_SDK_H
#define FLUSH_SDK_H

#include "flush.h"

/*
 * Batches of the wandb SDK, which knows neither sessions nor numbers of batches: its new lines are
 * found by their numbers or content. The writer counts its batches all the same, so that a caller
 * that compared the content of one with what was stored can say as of when.
 */
err_t flush_take_sdk(struct flush *f, struct run_work *work, struct ingest_batch *b)
	__attribute__((warn_unused_result));

#endif
