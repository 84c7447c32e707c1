#ifndef WANDB_DEDUPE_H
#define WANDB_DEDUPE_H

#include "ingest.h"
#include "request.h"
#include "wandb_body.h"

/*
 * Lines that come again. Most requests bring new ones alone, which the flush tells at little cost; of a
 * process for which it could not, its next requests are looked through before they are submitted.
 */
struct wandb_dedupe {
	bool is_repeat; /* rows came, and all of them were stored before: nothing of it counts */
};

/* Scans what came into the batch, without what is stored already. */
err_t wandb_dedupe_scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch,
			struct wandb_dedupe *ret_known)
	__attribute__((nonnull, warn_unused_result));

/* The flush refused the batch: from now on the process's lines are looked through. */
bool wandb_dedupe_is_refusal(err_t e);
void wandb_dedupe_note(struct request *q, const struct ingest_batch *batch)
	__attribute__((nonnull));

#endif
