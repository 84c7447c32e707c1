#include "queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	size_t limit;
	size_t first;
	size_t count;
	bool closed;
	void *items[];
};

struct queue *queue_new(size_t limit)
{
	struct queue *q = malloc(sizeof(*q) + limit * sizeof(q->items[0]));

	if (!q)
		abort();
	*q = (struct queue){ .limit = limit };
	pthread_mutex_init(&q->lock, NULL);
	clock_cond_init(&q->more);
	return q;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	pthread_cond_destroy(&q->more);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

bool queue_push(struct queue *q, void *item)
{
	bool fits;

	pthread_mutex_lock(&q->lock);
	fits = !q->closed && q->count < q->limit;
	if (fits) {
		q->items[(q->first + q->count) % q->limit] = item;
		q->count++;
		pthread_cond_signal(&q->more);
	}
	pthread_mutex_unlock(&q->lock);
	return fits;
}

static void *take_first(struct queue *q)
{
	void *item = q->items[q->first];

	q->first = (q->first + 1) % q->limit;
	q->count--;
	return item;
}

void *queue_pop(struct queue *q)
{
	void *item = NULL;

	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed)
		pthread_cond_wait(&q->more, &q->lock);
	if (q->count)
		item = take_first(q);
	pthread_mutex_unlock(&q->lock);
	return item;
}

size_t queue_pop_many(struct queue *q, void **items, size_t max, int64_t until_mono_us)
{
	struct timespec until = {
		.tv_sec = until_mono_us / 1000000,
		.tv_nsec = until_mono_us % 1000000 * 1000,
	};
	size_t n = 0;

	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed) {
		if (pthread_cond_timedwait(&q->more, &q->lock, &until))
			break;
	}
	while (n < max && q->count)
		items[n++] = take_first(q);
	pthread_mutex_unlock(&q->lock);
	return n;
}

size_t queue_length(struct queue *q)
{
	size_t count;

	pthread_mutex_lock(&q->lock);
	count = q->count;
	pthread_mutex_unlock(&q->lock);
	return count;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->more);
	pthread_mutex_unlock(&q->lock);
}
