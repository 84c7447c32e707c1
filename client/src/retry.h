#ifndef RETRY_H
#define RETRY_H

#include <stdint.h>

/*
 * How long to wait before the next try: twice as long each time up to a limit, each wait shortened
 * by a random part of up to a half, so that a thousand clients do not come back at one moment.
 */
struct retry {
	int tries;
	int max_ms;
	uint64_t random;
};

#define RETRY_FIRST_MS 100
#define RETRY_DENIED_MS 60000 /* after a refusal that only a person can lift */
#define RETRY_AFTER_MAX_S 300 /* a server that asks for more is asked again after this */

void retry_init(struct retry *retry, int max_ms) __attribute__((nonnull));
void retry_reset(struct retry *retry) __attribute__((nonnull));

/* Counts a try; retry_after_s is what the server asked for, 0 nothing. */
int retry_next_ms(struct retry *retry, int64_t retry_after_s) __attribute__((nonnull));

#endif
