#ifndef WANDB_SUBMIT_H
#define WANDB_SUBMIT_H

#include "ingest.h"
#include "request.h"

/*
 * Submits a batch and waits for the flush that stores it, for answers that go on from there. No client
 * is waited for, and a flusher refuses what comes after its deadline. The worker is held meanwhile:
 * what is sent all the time is to be submitted and left.
 */
err_t wandb_submit(struct request *q, struct ingest_batch *batch)
	__attribute__((nonnull, warn_unused_result));

#endif
