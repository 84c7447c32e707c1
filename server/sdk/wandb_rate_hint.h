#ifndef WANDB_RATE_HINT_H
#define WANDB_RATE_HINT_H

#include <stdint.h>

#include "clock.h"
#include "request.h"

/*
 * How often processes of the SDK send. Every answer has RateLimit-Remaining and RateLimit-Reset: all that a
 * process could want, or, while the server's load is high, less from answer to answer, so that it asks more and
 * more seldom, down to its own least of a request in ten seconds. Nothing is refused by it.
 */
void wandb_rate_hint(struct request *q) __attribute__((nonnull));

/* What they say. */
struct wandb_rate_hint {
	int64_t remaining;
	int64_t reset_s;
};
struct wandb_rate_hint wandb_rate_hint_full(void);
/* By the wall clock, so that several servers say the same. */
struct wandb_rate_hint wandb_rate_hint_slow(timestamp_us now);

#endif
