/*
 * Server-sent events. A listener is a buffer that its sender fills and its connection empties; when it
 * is empty the connection sleeps (suspended) and costs neither thread nor time.
 *
 * It belongs to the exchange, which the connection and the sender own
 * together: the first to leave takes nothing from the other. The sender is
 * not called back; it checks when it has something to send.
 *
 * Waiting bytes are bounded for each listener, and for all together by a part of the server's
 * memory: when half of that is used, nothing is added for listeners with waiting bytes, those above
 * their equal share are reported as such, and the bytes of ended ones are dropped.
 *
 * Locks: server->lock before live->lock.
 */
#include "live.h"

#include <string.h>

#include "dlist.h"
#include "exchange.h"
#include "watch.h"

enum {
	BEAT_AFTER_US = 10 * 1000 * 1000,
	KEEP_BYTES = 4 << 10, /* kept in the buffer when it is empty */
	MEMORY_PART = 4,      /* of the server's memory: a quarter */
};

struct reply_live {
	struct http_exchange *exchange;
	struct reply_live *next; /* of server->lives */
	struct reply_live *previous;
	pthread_mutex_t lock; /* of all below */
	struct buf waiting;
	size_t sent;
	size_t limit;
	size_t counted; /* of the server's memory */
	int64_t touched_us;
	bool is_asleep; /* the connection is suspended until there are bytes */
	bool is_over;
};

static void list_add(struct http_server *server, struct reply_live *live)
{
	pthread_mutex_lock(&server->lock);
	DLIST_ADD(server->lives, live);
	server->live_count++;
	if (atomic_load(&server->draining))
		live->is_over = true;
	pthread_mutex_unlock(&server->lock);
}

static void list_remove(struct http_server *server, struct reply_live *live)
{
	pthread_mutex_lock(&server->lock);
	DLIST_REMOVE(server->lives, live);
	server->live_count--;
	pthread_mutex_unlock(&server->lock);
}

static struct memory *memory_of(const struct reply_live *live)
{
	return live->exchange->server->options.memory;
}

static void count(struct reply_live *live)
{
	size_t now = live->waiting.size;

	if (now > live->counted)
		memory_take(memory_of(live), MEMORY_LISTENERS, now - live->counted);
	else if (now < live->counted)
		memory_give(memory_of(live), MEMORY_LISTENERS, live->counted - now);
	live->counted = now;
}

/* Under live->lock. */
static void drop_waiting(struct reply_live *live)
{
	buf_free(&live->waiting);
	live->sent = 0;
	count(live);
}

static size_t most_of_all(const struct reply_live *live)
{
	return memory_of(live)->limit / MEMORY_PART;
}

/* The second half is for listeners that have taken everything: a slow one leaves them room. */
static bool is_crowded(const struct reply_live *live, size_t waiting)
{
	size_t most = most_of_all(live);

	return memory_used_by(memory_of(live), MEMORY_LISTENERS) >= (waiting ? most / 2 : most);
}

/* If half of it is used, at least one listener has as much. */
static bool has_its_share(const struct reply_live *live)
{
	size_t count = atomic_load(&live->exchange->server->live_count);

	return live->waiting.size >= most_of_all(live) / 2 / (count ? count : 1);
}

static void free_live(void *p)
{
	struct reply_live *live = p;

	drop_waiting(live);
	pthread_mutex_destroy(&live->lock);
}

struct reply_live *reply_live(struct request *q, size_t limit_bytes)
{
	struct http_exchange *ex = q->exchange;
	struct reply_live *live = arena_new_of(q->arena, struct reply_live);

	live->exchange = ex;
	live->limit = limit_bytes;
	live->touched_us = clock_mono_us();
	pthread_mutex_init(&live->lock, NULL);
	arena_defer(q->arena, free_live, live);
	buf_add_text(&live->waiting, ":\n\n"); /* the head goes out at once */
	count(live);
	q->reply->content_type = "text/event-stream";
	q->reply->is_live = true;
	reply_header(q, "X-Accel-Buffering", "no");
	ex->live = live;
	watch_wants_answers(ex->link, ex->server->options.idle_timeout_s);
	atomic_fetch_add(&ex->owners, 1); /* the sender */
	list_add(ex->server, live);
	return live;
}

/* Under live->lock: true when the caller has to wake the connection after unlocking. */
static bool take_sleep(struct reply_live *live)
{
	bool was_asleep = live->is_asleep;

	live->is_asleep = false;
	return was_asleep;
}

/* Its buffer doubles when it is full. */
static bool has_room(const struct reply_live *live, size_t bytes)
{
	const struct buf *b = &live->waiting;

	return live->waiting.len - live->sent < live->limit &&
	       (b->size - b->len >= bytes || memory_has(memory_of(live), b->size + bytes));
}

static bool append(struct reply_live *live, struct str bytes, bool *ret_wake)
{
	bool fits;

	pthread_mutex_lock(&live->lock);
	fits = !live->is_over && has_room(live, bytes.len);
	if (fits) {
		buf_add_str(&live->waiting, bytes);
		count(live);
		live->touched_us = clock_mono_us();
	} else {
		live->is_over = true;
	}
	*ret_wake = take_sleep(live);
	pthread_mutex_unlock(&live->lock);
	return fits;
}

bool reply_live_send(struct reply_live *live, struct str bytes)
{
	bool wake;
	bool fits = append(live, bytes, &wake);

	if (wake)
		exchange_wake(live->exchange);
	return fits;
}

enum reply_live_state reply_live_state(struct reply_live *live)
{
	enum reply_live_state state = REPLY_LIVE_READY;
	size_t waiting;

	pthread_mutex_lock(&live->lock);
	waiting = live->waiting.len - live->sent;
	if (live->is_over)
		state = REPLY_LIVE_OVER;
	else if (is_crowded(live, waiting))
		state = waiting && has_its_share(live) ? REPLY_LIVE_HEAVY : REPLY_LIVE_CROWDED;
	else if (waiting >= live->limit / 2)
		state = REPLY_LIVE_FULL;
	pthread_mutex_unlock(&live->lock);
	return state;
}

static bool set_over(struct reply_live *live)
{
	bool wake;

	pthread_mutex_lock(&live->lock);
	live->is_over = true;
	wake = take_sleep(live);
	pthread_mutex_unlock(&live->lock);
	return wake;
}

void reply_live_end(struct reply_live *live)
{
	if (!live)
		return;
	if (set_over(live))
		exchange_wake(live->exchange);
	exchange_release(live->exchange);
}

/* Under live->lock. */
static size_t take_bytes(struct reply_live *live, char *bytes, size_t size)
{
	struct buf *b = &live->waiting;
	size_t left = b->len - live->sent;
	size_t n = left < size ? left : size;

	if (!n)
		return 0;
	memcpy(bytes, b->at + live->sent, n);
	live->sent += n;
	if (live->sent > b->len / 2) {
		memmove(b->at, b->at + live->sent, b->len - live->sent);
		b->len -= live->sent;
		live->sent = 0;
	}
	if (!b->len && b->size > KEEP_BYTES)
		drop_waiting(live);
	return n;
}

/* Suspended first, asleep after a last check: a sender in between would have no one to wake. */
static ssize_t fall_asleep(struct http_exchange *ex)
{
	struct reply_live *live = ex->live;
	bool wake;

	if (!exchange_park(ex))
		return LIVE_END;
	pthread_mutex_lock(&live->lock);
	wake = live->waiting.len || live->is_over;
	live->is_asleep = !wake;
	pthread_mutex_unlock(&live->lock);
	if (wake)
		exchange_wake(ex);
	return LIVE_NOTHING;
}

ssize_t live_read(struct http_exchange *ex, char *bytes, size_t size)
{
	struct reply_live *live = ex->live;
	bool is_over;
	size_t n;

	pthread_mutex_lock(&live->lock);
	n = take_bytes(live, bytes, size);
	is_over = live->is_over;
	pthread_mutex_unlock(&live->lock);
	if (n)
		return (ssize_t)n;
	return is_over ? LIVE_END : fall_asleep(ex);
}

/* No sender wakes a connection that is awake, so it only has to find `is_over`. */
void live_gone(struct http_exchange *ex)
{
	struct reply_live *live = ex->live;

	if (!live)
		return;
	ex->live = NULL;
	list_remove(ex->server, live);
	set_over(live);
	pthread_mutex_lock(&live->lock);
	drop_waiting(live);
	pthread_mutex_unlock(&live->lock);
}

/* Scripts of a page do not receive comments. */
static bool add_beat(struct reply_live *live, int64_t now_us)
{
	bool wake = false;

	pthread_mutex_lock(&live->lock);
	if (now_us - live->touched_us >= BEAT_AFTER_US && !live->is_over) {
		live->touched_us = now_us;
		buf_add_text(&live->waiting, "event: beat\ndata: {}\n\n");
		count(live);
		wake = take_sleep(live);
	}
	pthread_mutex_unlock(&live->lock);
	return wake;
}

/* A listener that was ended as too slow may never take its waiting bytes. */
static void make_room(struct reply_live *live)
{
	pthread_mutex_lock(&live->lock);
	if (live->is_over && is_crowded(live, live->waiting.len))
		drop_waiting(live);
	pthread_mutex_unlock(&live->lock);
}

/* A connection that sleeps does not see that its client has left. */
void live_keep_alive(struct http_server *server, int64_t now_us)
{
	pthread_mutex_lock(&server->lock);
	for (struct reply_live *live = server->lives; live; live = live->next) {
		bool has_left = watch_has_hung_up(live->exchange->link);

		if (has_left ? set_over(live) : add_beat(live, now_us))
			exchange_wake(live->exchange);
		make_room(live);
	}
	pthread_mutex_unlock(&server->lock);
}

void live_end_all(struct http_server *server)
{
	pthread_mutex_lock(&server->lock);
	for (struct reply_live *live = server->lives; live; live = live->next) {
		if (set_over(live))
			exchange_wake(live->exchange);
	}
	pthread_mutex_unlock(&server->lock);
}
