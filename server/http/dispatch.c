/*
 * enter -> handler -> leave -> answer, for every route. Any failure on the way is one err_t, and
 * exchange_finish() makes it an answer and, if it is our fault, a line in the log.
 */
#include "dispatch.h"

#include "arena.h"
#include "exchange.h"
#include "log.h"
#include "media.h"
#include "worker.h"

/* Checks of the body and the query come last: a caller without access learns nothing of them. */
static err_t enter(struct request *q, const struct http_hooks *hooks)
{
	err_t e;

	if (clock_mono_us() > q->deadline_us)
		return err_new(q->arena, ERR_BUSY,
			       "the server was too busy to start the request in time");
	e = hooks->enter ? hooks->enter(q) : NULL;
	if (!e)
		e = media_check(q);
	return e ? e : request_check_query(q);
}

/* An answer that was begun on q->db stays there: another database may be behind. */
static struct db *elsewhere(const struct http_hooks *hooks, struct request *q)
{
	bool may = q->route->flags & ROUTE_REPLICA;

	return may && hooks->elsewhere ? hooks->elsewhere(q) : NULL;
}

static void come_back(const struct http_hooks *hooks, struct request *q, err_t e)
{
	q->is_elsewhere = false;
	hooks->failed_elsewhere(q, e);
}

static err_t call(struct request *q, const struct http_hooks *hooks)
{
	struct db *other = elsewhere(hooks, q);
	err_t e;

	if (!other)
		return q->route->handle(q);
	q->db = other;
	e = q->route->handle(q);
	q->db = q->primary;
	if (!e) {
		q->is_elsewhere = true;
		return NULL;
	}
	come_back(hooks, q, e);
	reply_reset(q);
	return q->route->handle(q);
}

/* False: the handler handed the request on. */
static bool handle(struct worker *w, struct request *q, err_t *ret_error)
{
	const struct http_hooks *hooks = &w->server->options.hooks;
	err_t e;

	w->detached = false;
	worker_use_arena(w, q->arena);
	worker_set_deadline(w, q->deadline_us);
	e = enter(q, hooks);
	if (!e)
		e = exchange_count_user(q->exchange);
	if (!e)
		e = call(q, hooks);
	if (w->detached)
		return false;
	*ret_error = hooks->leave ? hooks->leave(q, e) : e;
	worker_use_arena(w, w->scratch);
	return true;
}

/*
 * The most calls of a stream for one slice. If they give nothing, the slice stays empty: the
 * connection then queues for the next one behind all other requests, with a new time limit.
 */
enum { SLICE_TRIES = 16 };

static err_t next(struct worker *w, struct request *q)
{
	const struct http_hooks *hooks = &w->server->options.hooks;
	struct reply *r = q->reply;
	struct db *other = q->is_elsewhere ? elsewhere(hooks, q) : NULL;
	err_t e;

	q->is_elsewhere = other != NULL;
	if (!other)
		return r->next(q, r->state, &r->slice, &r->is_last_slice);
	q->db = other;
	e = r->next(q, r->state, &r->slice, &r->is_last_slice);
	q->db = q->primary;
	if (!e || r->slice.len)
		return e;
	come_back(hooks, q, e);
	return r->next(q, r->state, &r->slice, &r->is_last_slice);
}

static bool has_slice(const struct reply *r)
{
	return r->slice.len || r->is_last_slice || r->file_left;
}

/*
 * Makes a slice with some content, or the last one, or an empty one. Errors
 * live in the scratch arena.
 */
static err_t make_slice(struct worker *w, struct request *q)
{
	struct reply *r = q->reply;
	err_t e = NULL;

	q->deadline_us = clock_mono_us() + (int64_t)w->server->options.deadline_ms * 1000;
	worker_set_deadline(w, q->deadline_us);
	for (int i = 0; i < SLICE_TRIES && !e && !has_slice(r); i++) {
		arena_reset(w->scratch);
		e = next(w, q);
	}
	return e;
}

/* The first slice is made before anything is sent, so that its error can still be the answer. */
static err_t first_slice(struct worker *w, struct request *q)
{
	struct reply *r = q->reply;
	err_t e;

	if (!r->next)
		return NULL;
	e = make_slice(w, q);
	if (!e && r->is_last_slice) {
		r->body = buf_str(&r->slice);
		r->holder = &r->slice;
		r->next = NULL;
	}
	return e;
}

static void bind(struct worker *w, struct request *q)
{
	q->worker = w;
	q->db = q->primary = w->db;
	arena_count_in(w->scratch, &q->exchange->share);
}

/* Memory reserved for reading the body is not needed any more. */
static void unbind(struct request *q)
{
	worker_clear_scratch(q->worker);
	share_settle(&q->exchange->share);
	q->worker = NULL;
	q->db = q->primary = NULL;
}

/*
 * Any worker parses the body to see whether the request writes, for that
 * is bounded; handling it may not be.
 */
static bool is_for_others(struct worker *w, struct http_exchange *ex)
{
	struct request *q = &ex->q;

	if (q->route->reads && !ex->is_sorted) {
		ex->is_sorted = true;
		ex->only_reads = q->route->reads(q);
	}
	return ex->only_reads && w->taker == TAKES_WRITES;
}

static void dispatch_request(struct worker *w, struct http_exchange *ex)
{
	struct request *q = &ex->q;
	err_t e;

	bind(w, q);
	if (is_for_others(w, ex)) {
		unbind(q);
		exchange_queue_read(ex);
		return;
	}
	if (!handle(w, q, &e))
		return;
	if (!e)
		e = first_slice(w, q);
	if (!e)
		e = exchange_check_answer(ex);
	exchange_finish(ex, e);
	unbind(q);
	exchange_answer(ex);
}

static err_t still(struct worker *w, const struct request *q)
{
	const struct http_hooks *hooks = &w->server->options.hooks;

	arena_reset(w->scratch);
	worker_set_deadline(w, clock_mono_us() + (int64_t)w->server->options.deadline_ms * 1000);
	return hooks->still ? hooks->still(q, w->scratch, w->db) : NULL;
}

/* Our failures are errors; a user's loss of the right to read on is not. */
static void log_broken_off(struct worker *w, const struct request *q, err_t e)
{
	LOG_LINE(e->kind == ERR_INTERNAL ? LOG_ERROR : LOG_WARNING, "response aborted",
		 LOG_TEXT("id", q->id), LOG_TEXT("route", q->route->path),
		 LOG_TEXT("error", err_chain(w->scratch, e)));
}

enum { AWAY_PAUSE_US = 100 * 1000 };

/*
 * Other answers are 503 while the database is away, and the client retries; of a stream the client
 * has a part already. So a slice that is still empty is tried again behind all other requests, for
 * as long as a request may take. A `next` that failed has moved nothing.
 */
static bool comes_again(struct worker *w, struct request *q, err_t e)
{
	struct reply *r = q->reply;
	int64_t now_us = clock_mono_us();

	if (e->kind != ERR_BUSY || r->slice.len)
		return false;
	if (!r->away_until_us) {
		r->away_until_us = now_us + (int64_t)w->server->options.deadline_ms * 1000;
		log_info("response waits for the database or for memory", LOG_TEXT("id", q->id));
	}
	if (now_us >= r->away_until_us)
		return false;
	clock_sleep_us(AWAY_PAUSE_US);
	return true;
}

static void dispatch_slice(struct worker *w, struct http_exchange *ex)
{
	struct request *q = &ex->q;
	err_t e;

	bind(w, q);
	buf_clear(&q->reply->slice);
	q->reply->slice_sent = 0;
	e = still(w, q);
	if (!e)
		e = make_slice(w, q);
	if (!e) {
		q->reply->away_until_us = 0;
	} else if (!comes_again(w, q, e)) {
		q->reply->failed = true;
		log_broken_off(w, q, e);
	}
	unbind(q);
	exchange_answer(ex);
}

/* Before its body: authenticates the request and finds its route's target. */
static err_t check(struct request *q, const struct http_hooks *hooks)
{
	err_t e;

	if (!q->route->begin)
		return hooks->verify(q);
	e = enter(q, hooks);
	if (!e)
		e = q->route->begin(q);
	return hooks->leave ? hooks->leave(q, e) : e;
}

static void dispatch_check(struct worker *w, struct http_exchange *ex)
{
	struct request *q = &ex->q;
	err_t e;

	bind(w, q);
	worker_use_arena(w, q->arena);
	worker_set_deadline(w, q->deadline_us);
	e = check(q, &w->server->options.hooks);
	worker_use_arena(w, w->scratch);
	unbind(q);
	exchange_checked(ex, e);
}

void dispatch(struct worker *w, struct http_exchange *ex)
{
	if (ex->phase == PHASE_CHECK)
		dispatch_check(w, ex);
	else if (atomic_load(&ex->answered))
		dispatch_slice(w, ex);
	else
		dispatch_request(w, ex);
}

void dispatch_inline(struct http_exchange *ex)
{
	err_t e = request_check_query(&ex->q);

	exchange_finish(ex, e ? e : ex->q.route->handle(&ex->q));
}
