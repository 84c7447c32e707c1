#ifndef WANDB_RATE_HINT_H
#define WANDB_RATE_HINT_H

#include <stdint.h>

#include "clock.h"
#include "request.h"

/*
 * Controls how often processes of the SDK send. Every answer has RateLimit-Remaining and RateLimit-Reset. The
 * values do not limit a process, except while the server's load is high: then they shrink from answer to answer,
 * until it sends a request in ten seconds, its own minimum. No request is refused.
 */
void wandb_rate_hint(struct request *q) __attribute__((nonnull));

/* The values of the headers. */
struct wandb_rate_hint {
	int64_t remaining;
	int64_t reset_s;
};
struct wandb_rate_hint wandb_rate_hint_full(void);
/* By the wall clock, so that several servers say the same. */
struct wandb_rate_hint wandb_rate_hint_slow(timestamp_us now);

#endif
