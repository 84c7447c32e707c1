#ifndef WANDB_STREAM_H
#define WANDB_STREAM_H

#include "request.h"

/*
 * POST /files/{entity}/{project}/{run}/file_stream: what a process logs, every 15 seconds at most. An
 * answer of 400, 401, 403, 404, 409, 410, 413, 422 or 501 makes it give up for good, so these are for
 * what never passes alone: a key without rights, a run that never was or was deleted.
 */
err_t wandb_stream(struct request *q);

#endif
