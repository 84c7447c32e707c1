#include "worker.h"

#include <assert.h>

#include "arena.h"
#include "dispatch.h"
#include "exchange.h"
#include "thread.h"

enum { SCRATCH_BYTES = 256 << 10, ARENA_BYTES = 4 << 10 };
enum { FIRST_COUNT = 2 };

void worker_use_arena(struct worker *w, struct arena *a)
{
	const struct http_hooks *hooks = &w->server->options.hooks;

	if (hooks->use_arena && w->db)
		hooks->use_arena(w->db, a);
}

void worker_set_deadline(struct worker *w, int64_t mono_us)
{
	const struct http_hooks *hooks = &w->server->options.hooks;

	if (hooks->set_deadline && w->db)
		hooks->set_deadline(w->db, mono_us);
}

void worker_clear_scratch(struct worker *w)
{
	arena_reset(w->scratch);
	arena_count_in(w->scratch, NULL);
}

void worker_detach(struct worker *w, struct request *q)
{
	assert(w && !w->detached);
	assert(!(q->route->flags & ROUTE_TX));
	worker_use_arena(w, w->scratch);
	worker_clear_scratch(w);
	body_free(&q->exchange->body);
	share_settle(&q->exchange->share);
	q->body = (struct str){ "", 0 };
	q->worker = NULL;
	q->db = q->primary = NULL;
	w->detached = true;
}

static void report_start(struct worker *w)
{
	struct http_server *server = w->server;

	pthread_mutex_lock(&server->lock);
	server->workers_up++;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
}

/*
 * Work that is better done while there is no request. It makes a connection larger, so it is done
 * by the first two, before the server listens, and by others once they had a request: of the
 * sleeping workers, the last to fall asleep is woken.
 */
static void rest(struct worker *w)
{
	const struct http_hooks *hooks = &w->server->options.hooks;

	if (!hooks->worker_rest || !w->db)
		return;
	hooks->worker_rest(w->db);
	worker_clear_scratch(w);
}

static void work(struct worker *w)
{
	struct work_queue *queue = w->server->queue;
	struct http_exchange *ex;
	const void *owner;

	if (!w->is_first)
		work_queue_stand_by(queue, w->taker);
	while ((ex = work_queue_pop(queue, w->taker, &owner))) {
		dispatch(w, ex);
		rest(w);
		work_queue_done(queue, owner); /* a worker that is done takes the next at once */
	}
}

static void *run(void *p)
{
	struct worker *w = p;
	const struct http_hooks *hooks = &w->server->options.hooks;
	struct app *app = w->server->options.app;

	if (hooks->worker_start)
		w->start_error = hooks->worker_start(app, w->arena, &w->db);
	if (!w->start_error) {
		worker_use_arena(w, w->scratch);
		if (w->is_first)
			rest(w);
	}
	report_start(w);
	if (!w->start_error)
		work(w);
	if (hooks->worker_stop && !w->start_error)
		hooks->worker_stop(app, w->db);
	return NULL;
}

size_t worker_reading_count(const struct http_options *o)
{
	return o->workers - (o->write_workers < o->workers ? o->write_workers : o->workers - 1);
}

/* The first ones are reserved for writes; at least one takes anything. */
static void set_kind(struct worker *w, unsigned number)
{
	const struct http_options *o = &w->server->options;
	unsigned writing = o->workers - (unsigned)worker_reading_count(o);

	w->taker = number < writing ? TAKES_WRITES : TAKES_ANY;
	w->is_first = number >= writing && number - writing < FIRST_COUNT;
}

static void start(struct http_server *server, struct worker *w)
{
	w->server = server;
	set_kind(w, (unsigned)(w - server->workers));
	w->arena = arena_new(ARENA_BYTES);
	w->scratch = arena_new(SCRATCH_BYTES);
	w->is_running = thread_start(&w->thread, "worker", run, w);
	if (!w->is_running) {
		w->start_error = err_new(w->arena, ERR_INTERNAL, "cannot start a thread");
		report_start(w);
	}
}

static void wait_for_starts(struct http_server *server)
{
	pthread_mutex_lock(&server->lock);
	while (server->workers_up < server->options.workers)
		pthread_cond_wait(&server->changed, &server->lock);
	pthread_mutex_unlock(&server->lock);
}

err_t worker_start_all(struct arena *a, struct http_server *server)
{
	unsigned count = server->options.workers;

	server->workers = arena_new_array(a, struct worker, count);
	for (unsigned i = 0; i < count; i++)
		start(server, &server->workers[i]);
	wait_for_starts(server);
	for (unsigned i = 0; i < count; i++) {
		err_t e = server->workers[i].start_error;

		if (e)
			return err_wrap(a, e, "a worker failed to start");
	}
	return NULL;
}

void worker_join_all(struct http_server *server)
{
	for (unsigned i = 0; i < server->options.workers; i++) {
		struct worker *w = &server->workers[i];

		if (w->is_running)
			pthread_join(w->thread, NULL);
		arena_free(w->scratch);
		arena_free(w->arena);
		*w = (struct worker){ 0 };
	}
}
