/*
 * A count under a lock. Rejected: waking the flusher for each batch that comes, to let it count
 * those that wait: a thread switch for each would cost most of what waiting saves.
 */
#include "incoming.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

struct incoming {
	pthread_mutex_t lock;
	pthread_cond_t none;
	unsigned count;
};

struct incoming *incoming_new(void)
{
	struct incoming *incoming = calloc(1, sizeof(*incoming));

	if (!incoming)
		abort();
	pthread_mutex_init(&incoming->lock, NULL);
	clock_cond_init(&incoming->none);
	return incoming;
}

void incoming_free(struct incoming *incoming)
{
	if (!incoming)
		return;
	pthread_cond_destroy(&incoming->none);
	pthread_mutex_destroy(&incoming->lock);
	free(incoming);
}

void incoming_begin(struct incoming *incoming)
{
	pthread_mutex_lock(&incoming->lock);
	incoming->count++;
	pthread_mutex_unlock(&incoming->lock);
}

void incoming_end(struct incoming *incoming)
{
	pthread_mutex_lock(&incoming->lock);
	if (!--incoming->count)
		pthread_cond_broadcast(&incoming->none);
	pthread_mutex_unlock(&incoming->lock);
}

void incoming_wait(struct incoming *incoming, int64_t until_mono_us)
{
	struct timespec until = {
		.tv_sec = until_mono_us / 1000000,
		.tv_nsec = until_mono_us % 1000000 * 1000,
	};

	pthread_mutex_lock(&incoming->lock);
	while (incoming->count) {
		if (pthread_cond_timedwait(&incoming->none, &incoming->lock, &until))
			break;
	}
	pthread_mutex_unlock(&incoming->lock);
}
