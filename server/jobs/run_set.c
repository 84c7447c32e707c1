#include "run_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

/* A ring of runs in order, and a hash table of those in it. */
struct run_set {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct run_set_item *ring;
	size_t limit;
	size_t first;
	size_t count;
	int64_t *table; /* run ids, 0: free, -1: was taken; a power of two, at least 2 * limit */
	size_t table_size;
	size_t used; /* slots of the table that are not free */
	bool closed;
	struct put_off {
		int64_t run_id;
		int64_t until_us;
		enum run_set_why why;
		bool waits; /* the item was added in the meantime */
		struct run_set_item item;
	} put_off[RUN_SET_PUT_OFF]; /* a ring */
	size_t put_off_next;
};

enum { TAKEN = -1 };

struct run_set *run_set_new(size_t limit)
{
	struct run_set *set = calloc(1, sizeof(*set));

	if (!set)
		abort();
	set->limit = limit;
	set->table_size = 64;
	while (set->table_size < 4 * limit)
		set->table_size *= 2;
	set->ring = calloc(limit, sizeof(set->ring[0]));
	set->table = calloc(set->table_size, sizeof(set->table[0]));
	if (!set->ring || !set->table)
		abort();
	pthread_mutex_init(&set->lock, NULL);
	clock_cond_init(&set->more);
	return set;
}

void run_set_free(struct run_set *set)
{
	if (!set)
		return;
	pthread_cond_destroy(&set->more);
	pthread_mutex_destroy(&set->lock);
	free(set->ring);
	free(set->table);
	free(set);
}

static size_t slot_of(const struct run_set *set, int64_t run_id)
{
	uint64_t hash = (uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = set->table_size - 1;
	size_t i = (size_t)(hash >> 20) & mask;

	while (set->table[i] && set->table[i] != run_id)
		i = (i + 1) & mask;
	return i;
}

/* Deleted slots pile up; the table is rebuilt from the ring before they fill it. */
static void clean(struct run_set *set)
{
	for (size_t i = 0; i < set->table_size; i++)
		set->table[i] = 0;
	for (size_t i = 0; i < set->count; i++) {
		int64_t run_id = set->ring[(set->first + i) % set->limit].run_id;

		set->table[slot_of(set, run_id)] = run_id;
	}
	set->used = set->count;
}

static void push(struct run_set *set, struct run_set_item item)
{
	size_t slot;

	if (2 * (set->used + 1) > set->table_size)
		clean(set);
	slot = slot_of(set, item.run_id);
	if (set->table[slot] || set->count == set->limit)
		return;
	set->table[slot] = item.run_id;
	set->used++;
	set->ring[(set->first + set->count) % set->limit] = item;
	set->count++;
	pthread_cond_signal(&set->more);
}

/* ---- put off ------------------------------------------------------------------------------------------ */

static struct put_off *find_put_off(struct run_set *set, int64_t run_id)
{
	for (size_t i = 0; i < RUN_SET_PUT_OFF && set->put_off[i].run_id; i++) {
		if (set->put_off[i].run_id == run_id)
			return &set->put_off[i];
	}
	return NULL;
}

static void let_in(struct run_set *set, struct put_off *p)
{
	if (!p->waits)
		return;
	p->waits = false;
	push(set, p->item);
}

void run_set_put_off(struct run_set *set, int64_t run_id, int64_t until_mono_us,
		     enum run_set_why why)
{
	struct put_off *p;

	pthread_mutex_lock(&set->lock);
	p = find_put_off(set, run_id);
	if (!p) {
		p = &set->put_off[set->put_off_next++ % RUN_SET_PUT_OFF];
		let_in(set, p);
	}
	p->run_id = run_id;
	p->until_us = until_mono_us;
	p->why = why;
	pthread_mutex_unlock(&set->lock);
}

/* True if the item is kept aside. */
static bool keep_aside(struct run_set *set, struct run_set_item item)
{
	struct put_off *p = find_put_off(set, item.run_id);

	if (!p || clock_mono_us() >= p->until_us || (item.pressing && p->why == RUN_SET_REST))
		return false;
	if (p->waits) {
		p->item.whatever |= item.whatever;
		return true;
	}
	p->waits = true;
	p->item = item;
	pthread_cond_signal(&set->more); /* a waiting thread may now have to wait less long */
	return true;
}

/* Moves due items to the ring; returns when the next one is due, at the latest `until_us`. */
static int64_t let_in_due(struct run_set *set, int64_t until_us)
{
	int64_t now_us = clock_mono_us();

	for (size_t i = 0; i < RUN_SET_PUT_OFF && set->put_off[i].run_id; i++) {
		struct put_off *p = &set->put_off[i];

		if (p->waits && p->until_us <= now_us)
			let_in(set, p);
		else if (p->waits && p->until_us < until_us)
			until_us = p->until_us;
	}
	return until_us;
}

void run_set_add(struct run_set *set, struct run_set_item item)
{
	pthread_mutex_lock(&set->lock);
	if (!keep_aside(set, item))
		push(set, item);
	pthread_mutex_unlock(&set->lock);
}

/* Until there may be an item, at the latest until the time; false when that has come. */
static bool wait_for_more(struct run_set *set, int64_t until_mono_us)
{
	int64_t until_us = let_in_due(set, until_mono_us);
	struct timespec until = clock_timespec(until_us);

	if (set->count)
		return true;
	if (!pthread_cond_timedwait(&set->more, &set->lock, &until))
		return true;
	return clock_mono_us() < until_mono_us;
}

bool run_set_take(struct run_set *set, int64_t until_mono_us, struct run_set_item *ret_item)
{
	bool found;

	pthread_mutex_lock(&set->lock);
	let_in_due(set, until_mono_us);
	while (!set->count && !set->closed) {
		if (!wait_for_more(set, until_mono_us))
			break;
	}
	found = set->count && !set->closed;
	if (found) {
		*ret_item = set->ring[set->first];
		set->first = (set->first + 1) % set->limit;
		set->count--;
		set->table[slot_of(set, ret_item->run_id)] = TAKEN;
	}
	pthread_mutex_unlock(&set->lock);
	return found;
}

size_t run_set_count(struct run_set *set)
{
	size_t count;

	pthread_mutex_lock(&set->lock);
	count = set->count;
	pthread_mutex_unlock(&set->lock);
	return count;
}

void run_set_close(struct run_set *set)
{
	pthread_mutex_lock(&set->lock);
	set->closed = true;
	pthread_cond_broadcast(&set->more);
	pthread_mutex_unlock(&set->lock);
}
