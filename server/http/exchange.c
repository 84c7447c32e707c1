/*
 * A request from its first line to its last byte, as the I/O threads see it; nothing here blocks.
 *
 * If a request is refused before its body is in, the body is still read and
 * dropped, up to DROP_MAX, so that a client that writes first and reads later
 * finds its answer, and its connection stays. A client that sent Expect:
 * 100-continue, or announces more, is answered at once and disconnected.
 */
#include "exchange.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "arena.h"
#include "disk.h"
#include "dispatch.h"
#include "dlist.h"
#include "head.h"
#include "http_metrics.h"
#include "id.h"
#include "live.h"
#include "log.h"
#include "proxy.h"

enum {
	ARENA_BYTES = 8 << 10,
	DROP_MAX = 16 << 20,
	WORK_KEPT =
		64 << 10, /* working memory that is not worth releasing before the answer is sent */
	UNKNOWN_BODY_BYTES = 64 << 10, /* the most bytes from a client not known yet */
};

static void free_body(void *p)
{
	struct http_exchange *ex = p;

	body_free(&ex->body);
	buf_free(&ex->upload.bytes);
	buf_free(&ex->kept);
}

struct http_exchange *exchange_new(struct http_server *server, const char *target)
{
	struct arena *a = arena_new(ARENA_BYTES);
	struct http_exchange *ex = arena_new_of(a, struct http_exchange);

	share_begin(&ex->share, server->options.memory, BODY_REQUEST_BYTES);
	share_grow(&ex->share, ARENA_BYTES);
	arena_count_in(a, &ex->share);
	ex->server = server;
	atomic_store(&ex->owners, 1);
	ex->q.arena = a;
	ex->q.exchange = ex;
	ex->q.reply = &ex->reply;
	ex->q.app = server->options.app;
	ex->q.started_us = clock_mono_us();
	ex->target = str_of(arena_strdup(a, target ? target : ""));
	ex->length = -1;
	ex->q.length = -1;
	ex->upload.bytes.share = ex->kept.share = &ex->share;
	arena_defer(a, free_body, ex);
	return ex;
}

static void give_shares(struct http_exchange *ex)
{
	shares_give(ex->server->read_shares, ex->reading_address, 1);
	shares_give(ex->server->read_shares, ex->reading_user, 1);
	ex->reading_address = ex->reading_user = NULL;
}

void exchange_release(struct http_exchange *ex)
{
	if (atomic_fetch_sub(&ex->owners, 1) != 1)
		return;
	if (ex->q.sink) { /* removing its files may take a while */
		disk_free(ex);
		return;
	}
	give_shares(ex);
	share_end(&ex->share);
	arena_free(ex->q.arena);
}

static void list_add(struct http_exchange *ex)
{
	struct http_server *server = ex->server;

	pthread_mutex_lock(&server->lock);
	DLIST_ADD(server->exchanges, ex);
	server->active++;
	ex->listed = true;
	pthread_mutex_unlock(&server->lock);
}

static void list_remove(struct http_exchange *ex)
{
	struct http_server *server = ex->server;

	pthread_mutex_lock(&server->lock);
	DLIST_REMOVE(server->exchanges, ex);
	server->active--;
	ex->listed = false;
	if (!server->active)
		pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->lock);
}

void exchange_refuse(struct http_exchange *ex, err_t e)
{
	ex->refused = true;
	body_free(&ex->body);
	buf_free(&ex->upload.bytes);
	share_settle(&ex->share);
	exchange_finish(ex, e);
}

void exchange_refuse_framing(struct http_exchange *ex, const char *detail)
{
	ex->is_misframed = true;
	if (!ex->refused)
		exchange_refuse(ex, err_new(ex->q.arena, ERR_INVALID, "%s", detail));
}

/* A query may be too long for a URL: a POST that only needs to read is not a write. */
static enum work_class class_of(const struct http_exchange *ex)
{
	const struct route *route = ex->q.route;

	return ex->only_reads || route->method == GET || route->access == ACCESS_READ ? WORK_READS
										      : WORK_WRITES;
}

static err_t no_memory(struct http_exchange *ex)
{
	http_metrics_refused(ex->server->metrics, REFUSED_MEMORY);
	return err_new(ex->q.arena, ERR_BUSY, "the server's memory for requests is in use");
}

/* A body that would not fit is refused at once; its announced length is not trusted otherwise. */
static err_t check_memory(struct http_exchange *ex)
{
	size_t expected = ex->length > 0 ? (size_t)ex->length * BODY_WEIGHT : 0;

	if (ex->q.route->flags & ROUTE_UPLOAD)
		expected = UPLOAD_HOLDS;
	if (ex->q.route->flags & ROUTE_INLINE || memory_has(ex->server->options.memory, expected))
		return NULL;
	return no_memory(ex);
}

static err_t too_many_reads(struct http_exchange *ex, struct str owner)
{
	http_metrics_refused(ex->server->metrics, REFUSED_READS);
	return err_new(
		ex->q.arena, ERR_BUSY,
		"too many concurrent requests of \"%.*s\": the limit is the setting client_share",
		STR_ARG(owner));
}

static size_t most_reads(const struct http_exchange *ex)
{
	const struct http_options *o = &ex->server->options;

	return shares_of((size_t)o->queue_limit + o->workers, o->client_share);
}

/* A trusted proxy that does not send its client's address represents many clients. */
static err_t count_address(struct http_exchange *ex)
{
	struct str address = ex->q.client_address;

	if (ex->reading_address || class_of(ex) != WORK_READS ||
	    ex->q.route->flags & ROUTE_INLINE || !address.len ||
	    proxy_list_has(ex->server->trusted, address))
		return NULL;
	ex->reading_address = shares_take(ex->server->read_shares, address, 1, most_reads(ex));
	return ex->reading_address ? NULL : too_many_reads(ex, address);
}

/* User names have no slash. */
err_t exchange_count_user(struct http_exchange *ex)
{
	struct str (*who)(const struct request *) = ex->server->options.hooks.who;
	struct str user = who ? who(&ex->q) : STR("");
	const char *owner;

	if (ex->reading_user || !user.len || class_of(ex) != WORK_READS)
		return NULL;
	owner = arena_printf(ex->q.arena, "/%.*s", STR_ARG(user));
	ex->reading_user = shares_take(ex->server->read_shares, str_of(owner), 1, most_reads(ex));
	return ex->reading_user ? NULL : too_many_reads(ex, user);
}

static err_t check_queue(struct http_exchange *ex)
{
	struct http_server *server = ex->server;
	err_t e = count_address(ex);

	if (e)
		return e;
	if (work_queue_length(server->queue, class_of(ex)) < server->options.queue_limit)
		return NULL;
	http_metrics_refused(server->metrics, REFUSED_QUEUE);
	return err_new(ex->q.arena, ERR_BUSY, "too many requests are waiting");
}

/*
 * A client with unverified credentials must not fill the memory of bodies;
 * a compressed body has no size.
 */
static bool must_be_checked(struct http_exchange *ex)
{
	const struct http_hooks *hooks = &ex->server->options.hooks;
	bool is_small = !ex->chunked && !ex->body.inflate && ex->length <= UNKNOWN_BODY_BYTES;

	if (ex->q.route->begin)
		return true;
	return hooks->knows && !is_small && !(ex->q.route->flags & ROUTE_INLINE) &&
	       !hooks->knows(&ex->q);
}

static err_t begin_check(struct http_exchange *ex)
{
	err_t e;

	if (!must_be_checked(ex))
		return NULL;
	e = check_queue(ex);
	if (e)
		return e;
	ex->q.deadline_us = clock_mono_us() + (int64_t)ex->server->options.deadline_ms * 1000;
	ex->phase = PHASE_CHECK;
	return NULL;
}

void exchange_checked(struct http_exchange *ex, err_t e)
{
	if (!e && ex->q.sink && !share_reserve(&ex->share, BODY_REQUEST_BYTES + UPLOAD_HOLDS))
		e = no_memory(ex);
	if (e)
		exchange_refuse(ex, e);
	exchange_wake(ex);
	exchange_release(ex);
}

static err_t check_connection(struct http_exchange *ex)
{
	if (!ex->link || !ex->link->is_over)
		return NULL;
	return err_new(ex->q.arena, ERR_BUSY,
		       "too many connections from \"%.*s\": the limit is the setting client_share",
		       STR_ARG(ex->q.client_address));
}

void exchange_take_head(struct http_exchange *ex, const struct request_line *line, struct str peer)
{
	err_t e;

	list_add(ex);
	ex->phase = PHASE_BODY;
	head_read_client(ex, peer);
	e = head_read(ex, line);
	if (!e && ex->reply.status)
		ex->refused = true; /* answered by the head: 405, 431, OPTIONS */
	if (!e && !ex->refused && ex->server->options.hooks.head)
		e = ex->server->options.hooks.head(&ex->q);
	if (!e && !ex->refused)
		e = check_connection(ex);
	if (!e && !ex->refused)
		e = check_memory(ex);
	if (!e && !ex->refused)
		e = begin_check(ex);
	if (e)
		exchange_refuse(ex, e);
}

bool exchange_answers_early(const struct http_exchange *ex)
{
	bool has_body = ex->chunked || ex->length > 0;

	return ex->refused &&
	       (ex->is_misframed || (ex->expects_continue && has_body) || ex->length > DROP_MAX);
}

static err_t body_error(struct http_exchange *ex, enum body_result r)
{
	struct arena *a = ex->q.arena;

	switch (r) {
	case BODY_OK:
		return NULL;
	case BODY_TOO_LARGE:
		return err_new(a, ERR_TOO_LARGE, "the body is larger than %zu bytes",
			       ex->body.limit);
	case BODY_BROKEN:
		return err_new(a, ERR_INVALID, "the body does not match its Content-Encoding");
	default:
		return no_memory(ex);
	}
}

static err_t take_upload(struct http_exchange *ex, struct str piece)
{
	struct upload *upload = &ex->upload;

	ex->body.raw_bytes += piece.len;
	if (piece.len > upload->limit - upload->received)
		return err_new(ex->q.arena, ERR_TOO_LARGE, "the body is larger than %zu bytes",
			       upload->limit);
	upload->received += piece.len;
	buf_add_str(&upload->bytes, piece);
	return NULL;
}

bool exchange_take_body(struct http_exchange *ex, struct str piece)
{
	err_t e;

	if (ex->refused) {
		ex->body.raw_bytes += piece.len;
		ex->dropped_bytes += piece.len;
		return ex->dropped_bytes <= (size_t)DROP_MAX + ex->body.limit;
	}
	e = ex->q.sink ? take_upload(ex, piece) : body_error(ex, body_add(&ex->body, piece));
	if (e)
		exchange_refuse(ex, e);
	return true;
}

bool exchange_wants_disk(const struct http_exchange *ex)
{
	return !ex->refused && ex->q.sink && ex->upload.bytes.len >= UPLOAD_PIECE;
}

static err_t take_end(struct http_exchange *ex)
{
	err_t e;

	if (ex->q.sink)
		return NULL;
	e = body_error(ex, body_end(&ex->body));
	if (e)
		return e;
	ex->q.body = buf_str(&ex->body.bytes);
	if (ex->q.route->flags & ROUTE_INLINE)
		return NULL;
	return check_queue(ex);
}

bool exchange_take_end(struct http_exchange *ex)
{
	struct request *q = &ex->q;
	err_t e;

	ex->phase = PHASE_WORK;
	ex->taken = arena_mark(q->arena);
	q->deadline_us = clock_mono_us() + (int64_t)ex->server->options.deadline_ms * 1000;
	if (!ex->refused) {
		e = take_end(ex);
		if (e)
			exchange_refuse(ex, e);
		else if (q->route->flags & ROUTE_INLINE)
			dispatch_inline(ex);
		else
			return false;
	}
	atomic_store(&ex->answered, true);
	return true;
}

void exchange_queue(struct http_exchange *ex)
{
	atomic_fetch_add(&ex->owners, 1);
	if (work_queue_push(ex->server->queue, class_of(ex), ex, ex->reading_address))
		return;
	if (ex->phase == PHASE_CHECK) {
		exchange_checked(ex, err_new(ex->q.arena, ERR_BUSY, "the server is stopping"));
		return;
	}
	if (atomic_load(&ex->answered))
		ex->reply.failed = true;
	else
		exchange_finish(ex, err_new(ex->q.arena, ERR_BUSY, "the server is stopping"));
	exchange_answer(ex);
}

void exchange_queue_read(struct http_exchange *ex)
{
	err_t e = exchange_check_answer(ex);

	if (!e)
		e = check_queue(ex);
	if (!e && work_queue_push(ex->server->queue, WORK_READS, ex, ex->reading_address))
		return;
	exchange_finish(ex, e ? e : err_new(ex->q.arena, ERR_BUSY, "the server is stopping"));
	exchange_answer(ex);
}

/* Our own failures, and the database's message behind a refusal that a client may read. */
static void log_failure(struct request *q, err_t e)
{
	enum log_level level = e->kind == ERR_INTERNAL ? LOG_ERROR : LOG_WARNING;

	if (e->kind != ERR_INTERNAL && !e->cause)
		return;
	LOG_LINE(level, "request failed", LOG_TEXT("id", q->id),
		 LOG_TEXT("route", q->route ? q->route->path : "-"),
		 LOG_TEXT("error", err_chain(q->arena, e)),
		 LOG_TEXT("sqlstate", e->sqlstate ? e->sqlstate : "-"));
}

void exchange_finish(struct http_exchange *ex, err_t e)
{
	if (e) {
		log_failure(&ex->q, e);
		reply_error(&ex->q, e);
	}
	reply_settle(&ex->q);
	reply_compress(&ex->q);
}

/* A request that only reads loses nothing, and ends as soon as its client has been answered. */
static bool is_too_much(struct http_exchange *ex)
{
	return class_of(ex) == WORK_READS && ex->share.held > MEMORY_SMALL &&
	       !memory_has(ex->server->options.memory, 0);
}

err_t exchange_check_answer(struct http_exchange *ex)
{
	return is_too_much(ex) ? no_memory(ex) : NULL;
}

static struct str user_of(const struct http_exchange *ex)
{
	struct str (*who)(const struct request *) = ex->server->options.hooks.who;

	if (ex->user.at)
		return ex->user;
	return who ? who(&ex->q) : STR("");
}

static bool is_complete(const struct http_exchange *ex)
{
	const struct reply *r = &ex->reply;

	return ex->phase == PHASE_WORK && !r->next && !r->file && !r->is_live && !ex->q.sink;
}

static void release_body(struct http_exchange *ex)
{
	body_free(&ex->body);
	ex->q.body = STR("");
}

/* An answer may point into the body. */
static bool is_of_body(const struct http_exchange *ex)
{
	const struct buf *sent = &ex->body.bytes;
	const char *at = ex->reply.body.at;

	return sent->at && at >= sent->at && at < sent->at + sent->size;
}

/*
 * A client may be slow: until it is done the exchange holds the answer's
 * bytes and what came with the head.
 */
static void release_work(struct http_exchange *ex)
{
	struct request *q = &ex->q;
	struct str user;
	char *copy;

	if (!is_complete(ex))
		return;
	if (!is_of_body(ex))
		release_body(ex);
	if (ex->share.held <= ex->reply.body.len + WORK_KEPT)
		return;
	user = user_of(ex);
	copy = strndup(user.at, user.len);
	if (!copy)
		abort();
	reply_keep(q, &ex->taken, &ex->kept);
	release_body(ex);
	ex->user = (struct str){ arena_strdup(q->arena, copy), user.len };
	free(copy);
	q->identity = NULL;
	q->target = NULL;
	q->parsed = NULL;
}

void exchange_answer(struct http_exchange *ex)
{
	release_work(ex);
	if (!ex->reply.next)
		give_shares(ex); /* sending does not count as a read any more */
	atomic_store(&ex->answered, true);
	exchange_wake(ex);
	exchange_release(ex);
}

enum { LOGGED_PATH_BYTES = 256 };

/* For a path without a route; a query may contain secrets. */
static struct log_field logged_path(const struct http_exchange *ex)
{
	struct str target = ex->target;
	struct log_field field = LOG_STR("path", str_cut(&target, '?'));

	if (ex->q.route || !field.text.len)
		return (struct log_field){ .kind = LOG_FIELD_NONE };
	if (field.text.len > LOGGED_PATH_BYTES)
		field.text.len = LOGGED_PATH_BYTES;
	return field;
}

/* A successful health check, every few seconds, would fill the log. */
static enum log_level log_level_of(const struct http_exchange *ex)
{
	const struct route *route = ex->q.route;

	return route && route->flags & ROUTE_QUIET && ex->reply.status == 200 ? LOG_DEBUG
									      : LOG_INFO;
}

static void write_log(struct http_exchange *ex, int64_t us, bool complete)
{
	static const char *const names[METHODS] = {
		[GET] = "GET",     [POST] = "POST",     [PUT] = "PUT",
		[PATCH] = "PATCH", [DELETE] = "DELETE",
	};
	const struct request *q = &ex->q;
	struct str user = user_of(ex);

	LOG_LINE(log_level_of(ex), "request",
		 LOG_TEXT("method", ex->is_head ? "HEAD"
				    : q->method ? names[q->method]
						: "-"),
		 LOG_TEXT("route", q->route ? q->route->path : "-"), logged_path(ex),
		 LOG_INT("status", ex->reply.status), LOG_REAL("ms", (double)us / 1000),
		 LOG_INT("in", ex->body.raw_bytes), LOG_INT("out", ex->reply.sent_bytes),
		 LOG_STR("client", q->client_address), LOG_TEXT("id", q->id),
		 LOG_STR("user", user.len ? user : STR("-")),
		 LOG_TEXT("end", complete ? "sent" : "broken off"));
}

/* An abandoned exchange still belongs to another owner: nothing of it is read. */
void exchange_close(struct http_exchange *ex, bool complete)
{
	int64_t us = clock_mono_us() - ex->q.started_us;

	live_gone(ex);
	if (ex->listed)
		list_remove(ex);
	else
		return;
	if (!atomic_load(&ex->answered))
		return;
	http_metrics_add(ex->server->metrics, ex, us);
	if (log_enabled(log_level_of(ex)))
		write_log(ex, us, complete);
}

void exchange_wait_for_all(struct http_server *server)
{
	int64_t until_us = clock_mono_us() + (int64_t)server->options.drain_timeout_s * 1000000;
	struct timespec until = {
		.tv_sec = until_us / 1000000,
		.tv_nsec = until_us % 1000000 * 1000,
	};

	pthread_mutex_lock(&server->lock);
	while (server->active) {
		if (pthread_cond_timedwait(&server->changed, &server->lock, &until))
			break;
	}
	if (server->active)
		log_warning("stopping before all requests are answered",
			    LOG_INT("requests", server->active));
	pthread_mutex_unlock(&server->lock);
}

void exchange_abandon_all(struct http_server *server)
{
	pthread_mutex_lock(&server->lock);
	server->stopping = true;
	for (struct http_exchange *ex = server->exchanges; ex; ex = ex->next) {
		if (atomic_load(&ex->parked)) {
			atomic_store(&ex->abandoned, true);
			exchange_wake(ex);
		}
	}
	pthread_mutex_unlock(&server->lock);
}
