#include "retry.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

void retry_init(struct retry *retry, int max_ms)
{
	struct timespec now;

	*retry = (struct retry){ .max_ms = max_ms };
	if (getrandom(&retry->random, sizeof retry->random, GRND_NONBLOCK) !=
	    sizeof retry->random) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		retry->random = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32;
	}
	retry->random |= 1;
}

void retry_reset(struct retry *retry)
{
	retry->tries = 0;
}

/* xorshift64 */
static uint64_t next_random(struct retry *retry)
{
	retry->random ^= retry->random << 13;
	retry->random ^= retry->random >> 7;
	retry->random ^= retry->random << 17;
	return retry->random;
}

int retry_next_ms(struct retry *retry, int64_t retry_after_s)
{
	int64_t wait_ms = RETRY_FIRST_MS;

	for (int i = 0; i < retry->tries && wait_ms < retry->max_ms; i++)
		wait_ms *= 2;
	retry->tries++;
	if (wait_ms > retry->max_ms)
		wait_ms = retry->max_ms;
	wait_ms -= (int64_t)(next_random(retry) % (uint64_t)(wait_ms / 2));
	if (retry_after_s > RETRY_AFTER_MAX_S)
		retry_after_s = RETRY_AFTER_MAX_S;
	if (wait_ms < retry_after_s * 1000)
		wait_ms = retry_after_s * 1000;
	return (int)wait_ms;
}
