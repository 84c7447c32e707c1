/*
 * A count under a lock. Rejected: waking the flusher for each batch that comes, to let it count
 * those that wait: a thread switch for each would cost most of what waiting saves.
 */
#include "arrivals.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

struct arrivals {
	pthread_mutex_t lock;
	pthread_cond_t none;
	unsigned count;
};

struct arrivals *arrivals_new(void)
{
	struct arrivals *arrivals = calloc(1, sizeof(*arrivals));

	if (!arrivals)
		abort();
	pthread_mutex_init(&arrivals->lock, NULL);
	clock_cond_init(&arrivals->none);
	return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
	if (!arrivals)
		return;
	pthread_cond_destroy(&arrivals->none);
	pthread_mutex_destroy(&arrivals->lock);
	free(arrivals);
}

void arrivals_begin(struct arrivals *arrivals)
{
	pthread_mutex_lock(&arrivals->lock);
	arrivals->count++;
	pthread_mutex_unlock(&arrivals->lock);
}

void arrivals_end(struct arrivals *arrivals)
{
	pthread_mutex_lock(&arrivals->lock);
	if (!--arrivals->count)
		pthread_cond_broadcast(&arrivals->none);
	pthread_mutex_unlock(&arrivals->lock);
}

void arrivals_wait(struct arrivals *arrivals, int64_t until_mono_us)
{
	struct timespec until = {
		.tv_sec = until_mono_us / 1000000,
		.tv_nsec = until_mono_us % 1000000 * 1000,
	};

	pthread_mutex_lock(&arrivals->lock);
	while (arrivals->count) {
		if (pthread_cond_timedwait(&arrivals->none, &arrivals->lock, &until))
			break;
	}
	pthread_mutex_unlock(&arrivals->lock);
}
