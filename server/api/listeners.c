#include "listeners.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "ingest.h"
#include "listener_send.h"
#include "log.h"
#include "server_store.h"

enum {
	PERIOD_US = 1000 * 1000,
	GATHER_US = 20 * 1000, /* news of this long go together */
	WAITING_LIMIT = 4 << 20,
	SEND_ARENA = 256 << 10,
};

struct listener {
	struct listener *next;
	struct listeners *owner;
	struct reply_live *live;
	struct listener_ask ask;
	struct listener_seen seen;
	bool opened;
	_Atomic bool gone; /* the connection ended; the thread frees it */
};

struct listeners {
	struct listeners_options options;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct listener *first;
	size_t count;
	bool news;
	bool stop;
	bool running;
	pthread_t thread;
	struct arena *connection_arena;
	struct arena *arena;
	struct db *db;
};

/* ---- joining and leaving ------------------------------------------------------------------------------ */

/* From an I/O thread. */
static void on_gone(void *p)
{
	struct listener *l = p;

	atomic_store(&l->gone, true);
}

void listeners_add(struct listeners *listeners, struct request *q, const struct listener_ask *ask)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->owner = listeners;
	l->ask = *ask;
	l->live = reply_live(q, WAITING_LIMIT, on_gone, l);
	pthread_mutex_lock(&listeners->lock);
	l->next = listeners->first;
	listeners->first = l;
	listeners->count++;
	listeners->news = true;
	pthread_cond_signal(&listeners->wake);
	pthread_mutex_unlock(&listeners->lock);
}

void listeners_wake(struct listeners *listeners, int64_t run_id)
{
	(void)run_id; /* what is new is read from the database anyway */
	pthread_mutex_lock(&listeners->lock);
	if (listeners->count && !listeners->news) {
		listeners->news = true;
		pthread_cond_signal(&listeners->wake);
	}
	pthread_mutex_unlock(&listeners->lock);
}

static void free_listener(struct listener *l)
{
	free(l->seen.states);
	free(l);
}

/* Listeners that are gone are taken out; the others are returned, and only this thread has them. */
static size_t take_all(struct listeners *ls, struct listener ***ret_all)
{
	struct listener **all;
	struct listener **at;
	size_t n = 0;

	pthread_mutex_lock(&ls->lock);
	all = arena_new_array(ls->arena, struct listener *, ls->count);
	for (at = &ls->first; *at;) {
		struct listener *l = *at;

		if (atomic_load(&l->gone)) {
			*at = l->next;
			ls->count--;
			free_listener(l);
			continue;
		}
		all[n++] = l;
		at = &l->next;
	}
	pthread_mutex_unlock(&ls->lock);
	*ret_all = all;
	return n;
}

/* ---- sending -------------------------------------------------------------------------------------------- */

static const struct run *find_run(const struct run *runs, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].run_id == run_id)
			return &runs[i];
	}
	return NULL;
}

static err_t serve_one(struct listeners *ls, struct listener *l, struct listener_view *view,
		       bool *more)
{
	struct buf *out = buf_new(ls->arena);
	bool again = false;
	err_t e = NULL;

	if (!l->opened)
		e = listener_open(view, &l->ask, out);
	l->opened = l->opened || !e;
	if (!e)
		e = listener_send(view, &l->ask, &l->seen, out, &again);
	if (e)
		return e;
	*more = *more || again;
	if (out->len && !atomic_load(&l->gone) && !reply_live_send(l->live, buf_str(out)))
		atomic_store(&l->gone, true);
	return NULL;
}

static err_t serve_all(struct listeners *ls, struct codec *codec, bool *ret_more)
{
	struct listener_view view = {
		.reader = { ls->db, codec, ingest_metrics_cache(ls->options.ingest) },
	};
	struct listener **all;
	size_t count = take_all(ls, &all);
	int64_t *ids = arena_new_array(ls->arena, int64_t, count);
	struct run *runs;
	size_t run_count;
	err_t e;

	*ret_more = false;
	if (!count)
		return NULL;
	for (size_t i = 0; i < count; i++)
		ids[i] = all[i]->ask.run_id;
	e = server_store_now(ls->db, &view.now);
	if (!e)
		e = run_store_list(ls->db, ids, count, &runs, &run_count);
	for (size_t i = 0; i < count && !e; i++) {
		view.run = find_run(runs, run_count, all[i]->ask.run_id);
		if (view.run)
			e = serve_one(ls, all[i], &view, ret_more);
	}
	return e;
}

static bool wait_for_news(struct listeners *ls, int64_t us)
{
	int64_t until_us = clock_mono_us() + us;
	struct timespec until = { until_us / 1000000, until_us % 1000000 * 1000 };
	bool stop;

	pthread_mutex_lock(&ls->lock);
	while (!ls->news && !ls->stop) {
		if (pthread_cond_timedwait(&ls->wake, &ls->lock, &until))
			break;
	}
	ls->news = false;
	stop = ls->stop;
	pthread_mutex_unlock(&ls->lock);
	return !stop;
}

static void *listeners_main(void *arg)
{
	struct listeners *ls = arg;
	bool failing = false;
	bool more = false;

	while (wait_for_news(ls, more ? 0 : PERIOD_US)) {
		struct codec *codec = ingest_take_codec(ls->options.ingest);
		err_t e = serve_all(ls, codec, &more);

		ingest_give_codec(ls->options.ingest, codec);
		if (e && !failing)
			log_warning("live listeners wait",
				    LOG_TEXT("error", err_chain(ls->arena, e)));
		failing = e != NULL;
		arena_reset(ls->arena);
		clock_sleep_us(GATHER_US);
	}
	return NULL;
}

/* ---- start and stop ---------------------------------------------------------------------------------------- */

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners)
{
	struct listeners *ls = arena_new_of(a, struct listeners);
	pthread_condattr_t attr;
	err_t e;

	ls->options = *options;
	pthread_mutex_init(&ls->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ls->wake, &attr);
	pthread_condattr_destroy(&attr);
	ls->connection_arena = arena_new(4096);
	ls->arena = arena_new(SEND_ARENA);
	e = db_open(ls->connection_arena, &options->database, &ls->db);
	if (!e)
		db_set_arena(ls->db, ls->arena);
	if (!e && pthread_create(&ls->thread, NULL, listeners_main, ls))
		e = err_new(a, ERR_INTERNAL, "cannot start a thread");
	ls->running = !e;
	*ret_listeners = ls;
	return e ? err_wrap(a, e, "live listeners cannot be served") : NULL;
}

void listeners_stop(struct listeners *ls)
{
	if (!ls)
		return;
	pthread_mutex_lock(&ls->lock);
	ls->stop = true;
	pthread_cond_broadcast(&ls->wake);
	pthread_mutex_unlock(&ls->lock);
	if (ls->running)
		pthread_join(ls->thread, NULL);
	while (ls->first) {
		struct listener *l = ls->first;

		ls->first = l->next;
		free_listener(l);
	}
	db_close(ls->db);
	arena_free(ls->arena);
	arena_free(ls->connection_arena);
	pthread_cond_destroy(&ls->wake);
	pthread_mutex_destroy(&ls->lock);
}
