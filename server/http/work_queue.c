/*
 * Two rings under one lock. An item is numbered as it comes, so that a worker that takes from both
 * classes takes the older one. A write wakes a worker that takes anything, if one sleeps, else one of
 * those reserved for writes: so the reserved ones are the last to be busy.
 *
 * Sleepers are a stack: the worker that was busy last is woken first. Its database connection has
 * its plans and catalog caches, and work for few connections stays on few. A worker that never
 * worked is at the bottom of the stack.
 *
 * One worker at a time is being woken: it wakes the next if it leaves something. A burst of short items
 * is then done by the few workers that are up, not by as many as there are items, each for the price of
 * two switches.
 *
 * Rejected: two queues of base/, since a thread cannot wait for both.
 */
#include "work_queue.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
	void *item;
	const void *owner;
	uint64_t number;
};

struct fifo {
	struct entry *entries;
	size_t first;
	size_t count;
};

/* On the stack of the thread that sleeps. */
struct sleeper {
	struct sleeper *below;
	pthread_cond_t wake;
	bool is_woken;
};

struct work_queue {
	pthread_mutex_t lock;
	struct bed {
		struct sleeper *top; /* slept last */
		size_t sleeping;
		bool is_waking; /* one was woken and is not running yet */
	} beds[2];              /* one for each kind of taker */
	size_t limit;
	uint64_t next;
	bool closed;
	struct fifo fifos[WORK_CLASSES];
	const void **busy; /* the owners of what is taken, one by one */
	size_t busy_count;
	size_t busy_limit;
	size_t owner_limit;
};

struct work_queue *work_queue_new(size_t class_limit)
{
	struct work_queue *q = calloc(1, sizeof(*q));

	if (!q)
		abort();
	q->limit = class_limit;
	q->owner_limit = SIZE_MAX;
	for (int i = 0; i < WORK_CLASSES; i++) {
		q->fifos[i].entries = calloc(class_limit, sizeof(struct entry));
		if (!q->fifos[i].entries)
			abort();
	}
	pthread_mutex_init(&q->lock, NULL);
	return q;
}

void work_queue_free(struct work_queue *q)
{
	if (!q)
		return;
	for (int i = 0; i < WORK_CLASSES; i++)
		free(q->fifos[i].entries);
	free(q->busy);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void work_queue_limit_owner(struct work_queue *q, size_t takers, size_t most)
{
	q->busy = calloc(takers, sizeof(const void *));
	if (!q->busy)
		abort();
	q->busy_limit = takers;
	q->owner_limit = most;
}

/* If the queue is closed, all that is left is taken. */
static bool may_take(const struct work_queue *q, const void *owner)
{
	size_t count = 0;

	if (!owner || q->closed)
		return true;
	for (size_t i = 0; i < q->busy_count; i++)
		count += q->busy[i] == owner;
	return count < q->owner_limit;
}

static struct entry *entry_at(const struct work_queue *q, const struct fifo *l, size_t at)
{
	return &l->entries[(l->first + at) % q->limit];
}

/* The index of the first item that may be taken; the count of the fifo if there is none. */
static size_t first_of(const struct work_queue *q, const struct fifo *l)
{
	size_t at = 0;

	while (at < l->count && !may_take(q, entry_at(q, l, at)->owner))
		at++;
	return at;
}

static bool has_any(const struct work_queue *q, enum work_class class)
{
	return first_of(q, &q->fifos[class]) < q->fifos[class].count;
}

static void wake_top(struct bed *bed)
{
	struct sleeper *s = bed->top;

	bed->top = s->below;
	bed->sleeping--;
	s->is_woken = true;
	pthread_cond_signal(&s->wake);
}

/* Wakes a worker for the items that wait, unless one is being woken. */
static void wake_one(struct work_queue *q)
{
	size_t writes = q->fifos[WORK_WRITES].count;
	struct bed *bed = &q->beds[TAKES_ANY];

	if (!bed->top && !bed->is_waking)
		bed = &q->beds[TAKES_WRITES];
	if (!bed->top || bed->is_waking)
		return;
	if (!writes && (bed == &q->beds[TAKES_WRITES] || !has_any(q, WORK_READS)))
		return;
	bed->is_waking = true;
	wake_top(bed);
}

bool work_queue_push(struct work_queue *q, enum work_class class, void *item, const void *owner)
{
	struct fifo *l = &q->fifos[class];
	bool fits;

	pthread_mutex_lock(&q->lock);
	fits = !q->closed && l->count < q->limit;
	if (fits) {
		*entry_at(q, l, l->count) =
			(struct entry){ item, class == WORK_READS ? owner : NULL, q->next++ };
		l->count++;
		wake_one(q);
	}
	pthread_mutex_unlock(&q->lock);
	return fits;
}

/* The fifo of the item that is this taker's next, and its index there; NULL: there is none. */
static struct fifo *choose(struct work_queue *q, enum work_taker taker, size_t *ret_at)
{
	struct fifo *reads = &q->fifos[WORK_READS];
	struct fifo *writes = &q->fifos[WORK_WRITES];
	size_t at = taker == TAKES_WRITES ? reads->count : first_of(q, reads);

	*ret_at = 0;
	if (at == reads->count)
		return writes->count ? writes : NULL;
	if (writes->count && entry_at(q, writes, 0)->number < entry_at(q, reads, at)->number)
		return writes;
	*ret_at = at;
	return reads;
}

/* The items before it move up. */
static struct entry take(struct work_queue *q, struct fifo *l, size_t at)
{
	struct entry taken = *entry_at(q, l, at);

	for (; at; at--)
		*entry_at(q, l, at) = *entry_at(q, l, at - 1);
	l->first = (l->first + 1) % q->limit;
	l->count--;
	if (taken.owner && q->busy_count < q->busy_limit)
		q->busy[q->busy_count++] = taken.owner;
	return taken;
}

static void sleep_above(struct work_queue *q, struct bed *bed, struct sleeper **link)
{
	struct sleeper self = { .below = *link };

	pthread_cond_init(&self.wake, NULL);
	/* cppcheck-suppress autoVariables ; who wakes it takes it out before it returns */
	*link = &self;
	bed->sleeping++;
	while (!self.is_woken)
		pthread_cond_wait(&self.wake, &q->lock);
	bed->is_waking = false;
	pthread_cond_destroy(&self.wake);
}

void work_queue_stand_by(struct work_queue *q, enum work_taker taker)
{
	struct bed *bed = &q->beds[taker];
	struct sleeper **link = &bed->top;
	size_t at;

	pthread_mutex_lock(&q->lock);
	while (*link)
		link = &(*link)->below;
	if (!choose(q, taker, &at) && !q->closed)
		sleep_above(q, bed, link);
	pthread_mutex_unlock(&q->lock);
}

void *work_queue_pop(struct work_queue *q, enum work_taker taker, const void **ret_owner)
{
	struct entry taken = { NULL, NULL, 0 };
	struct fifo *fifo;
	size_t at;

	pthread_mutex_lock(&q->lock);
	while (!(fifo = choose(q, taker, &at)) && !q->closed)
		sleep_above(q, &q->beds[taker], &q->beds[taker].top);
	if (fifo) {
		taken = take(q, fifo, at);
		wake_one(q);
	}
	pthread_mutex_unlock(&q->lock);
	*ret_owner = taken.owner;
	return taken.item;
}

/* A worker that is done takes the next item, and wakes another for the rest. */
void work_queue_done(struct work_queue *q, const void *owner)
{
	size_t at = 0;

	if (!owner)
		return;
	pthread_mutex_lock(&q->lock);
	while (at < q->busy_count && q->busy[at] != owner)
		at++;
	if (at < q->busy_count)
		q->busy[at] = q->busy[--q->busy_count];
	pthread_mutex_unlock(&q->lock);
}

void work_queue_close(struct work_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	for (int i = 0; i < 2; i++) {
		while (q->beds[i].top)
			wake_top(&q->beds[i]);
	}
	pthread_mutex_unlock(&q->lock);
}

size_t work_queue_length(struct work_queue *q, enum work_class class)
{
	size_t count;

	pthread_mutex_lock(&q->lock);
	count = q->fifos[class].count;
	pthread_mutex_unlock(&q->lock);
	return count;
}

size_t work_queue_sleeping(struct work_queue *q, enum work_taker taker)
{
	size_t count;

	pthread_mutex_lock(&q->lock);
	count = q->beds[taker].sleeping;
	pthread_mutex_unlock(&q->lock);
	return count;
}
