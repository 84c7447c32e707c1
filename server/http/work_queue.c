/*
 * Two rings under one lock. An item is numbered as it comes, so that who takes from both lanes takes the
 * older one. What writes wakes a worker that takes anything, if one sleeps, else one of those kept for
 * it: so the kept ones are the last to be busy.
 *
 * One worker at a time is being woken: it wakes the next if it leaves something. A burst of short items
 * is then done by the few workers that are up, not by as many as there are items, each for the price of
 * two switches.
 *
 * Rejected: two queues of base/, since nobody can wait for both.
 */
#include "work_queue.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
	void *item;
	uint64_t number;
};

struct lane {
	struct entry *entries;
	size_t first;
	size_t count;
};

struct work_queue {
	pthread_mutex_t lock;
	struct bed {
		pthread_cond_t wake;
		size_t sleeping;
		size_t woken; /* of them: 1 while one has been woken that is not up yet */
	} beds[2];            /* one for each kind of taker */
	size_t limit;
	uint64_t next;
	bool closed;
	struct lane lanes[WORK_LANES];
};

struct work_queue *work_queue_new(size_t lane_limit)
{
	struct work_queue *q = calloc(1, sizeof(*q));

	if (!q)
		abort();
	q->limit = lane_limit;
	for (int i = 0; i < WORK_LANES; i++) {
		q->lanes[i].entries = calloc(lane_limit, sizeof(struct entry));
		if (!q->lanes[i].entries)
			abort();
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->beds[TAKES_ANY].wake, NULL);
	pthread_cond_init(&q->beds[TAKES_WRITES].wake, NULL);
	return q;
}

void work_queue_free(struct work_queue *q)
{
	if (!q)
		return;
	for (int i = 0; i < WORK_LANES; i++)
		free(q->lanes[i].entries);
	pthread_cond_destroy(&q->beds[TAKES_ANY].wake);
	pthread_cond_destroy(&q->beds[TAKES_WRITES].wake);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* Somebody for the items that lie here, unless one is on the way. */
static void wake_one(struct work_queue *q)
{
	size_t writes = q->lanes[WORK_WRITES].count;
	struct bed *bed = &q->beds[TAKES_ANY];

	if (!bed->sleeping)
		bed = &q->beds[TAKES_WRITES];
	if (!writes && (bed == &q->beds[TAKES_WRITES] || !q->lanes[WORK_READS].count))
		return;
	if (!bed->sleeping || bed->woken)
		return;
	bed->woken = 1;
	pthread_cond_signal(&bed->wake);
}

bool work_queue_push(struct work_queue *q, enum work_lane lane, void *item)
{
	struct lane *l = &q->lanes[lane];
	bool fits;

	pthread_mutex_lock(&q->lock);
	fits = !q->closed && l->count < q->limit;
	if (fits) {
		l->entries[(l->first + l->count) % q->limit] = (struct entry){ item, q->next++ };
		l->count++;
		wake_one(q);
	}
	pthread_mutex_unlock(&q->lock);
	return fits;
}

/* The lane whose first item is this taker's next; NULL: there is none. */
static struct lane *choose(struct work_queue *q, enum work_taker taker)
{
	struct lane *reads = &q->lanes[WORK_READS];
	struct lane *writes = &q->lanes[WORK_WRITES];

	if (taker == TAKES_WRITES || !reads->count)
		return writes->count ? writes : NULL;
	if (!writes->count)
		return reads;
	return reads->entries[reads->first].number < writes->entries[writes->first].number ? reads
											   : writes;
}

static void *take_first(struct work_queue *q, struct lane *l)
{
	void *item = l->entries[l->first].item;

	l->first = (l->first + 1) % q->limit;
	l->count--;
	return item;
}

static void sleep_in(struct work_queue *q, struct bed *bed)
{
	bed->sleeping++;
	pthread_cond_wait(&bed->wake, &q->lock);
	bed->sleeping--;
	bed->woken = 0;
}

void *work_queue_pop(struct work_queue *q, enum work_taker taker)
{
	struct lane *lane;
	void *item = NULL;

	pthread_mutex_lock(&q->lock);
	while (!(lane = choose(q, taker)) && !q->closed)
		sleep_in(q, &q->beds[taker]);
	if (lane) {
		item = take_first(q, lane);
		wake_one(q);
	}
	pthread_mutex_unlock(&q->lock);
	return item;
}

void work_queue_close(struct work_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->beds[TAKES_ANY].wake);
	pthread_cond_broadcast(&q->beds[TAKES_WRITES].wake);
	pthread_mutex_unlock(&q->lock);
}

size_t work_queue_length(struct work_queue *q, enum work_lane lane)
{
	size_t count;

	pthread_mutex_lock(&q->lock);
	count = q->lanes[lane].count;
	pthread_mutex_unlock(&q->lock);
	return count;
}
