#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "json_out.h"
#include "test_app.h"

enum { FILE_STEP = 64 << 10 };

void app_init(struct app *app)
{
	pthread_mutex_init(&app->lock, NULL);
	pthread_cond_init(&app->changed, NULL);
}

void app_wait_at_gate(struct app *app)
{
	pthread_mutex_lock(&app->lock);
	app->waiting++;
	while (!app->gate_is_open)
		pthread_cond_wait(&app->changed, &app->lock);
	app->waiting--;
	pthread_mutex_unlock(&app->lock);
}

void app_set_gate(struct app *app, bool is_open)
{
	pthread_mutex_lock(&app->lock);
	app->gate_is_open = is_open;
	pthread_cond_broadcast(&app->changed);
	pthread_mutex_unlock(&app->lock);
}

bool app_knows(struct request *q)
{
	return !request_header(q, "X-Stranger").at;
}

err_t app_verify(struct request *q)
{
	if (str_is(request_header(q, "X-Stranger"), "good"))
		return NULL;
	return err_new(q->arena, ERR_UNAUTHORIZED, "who is that?");
}

static err_t handled(struct request *q)
{
	atomic_fetch_add(&q->app->handled, 1);
	return NULL;
}

static err_t health(struct request *q)
{
	reply_text(q, "text/plain", STR("ok\n"));
	return NULL;
}

static err_t echo(struct request *q)
{
	static const char zeroes[64];

	if (q->body.len && memcmp(q->body.at + q->body.len, zeroes, sizeof(zeroes)) != 0)
		return err_new(q->arena, ERR_INTERNAL, "no padding");
	reply_text(q, "application/octet-stream", q->body);
	return handled(q);
}

/* What the server made of the head. */
static err_t facts(struct request *q)
{
	struct buf *b = buf_new(q->arena);
	struct json_out out = json_out_begin(b);

	json_out_object(&out);
	json_out_put_text(&out, "name", request_param(q, "name"));
	json_out_put_text(&out, "path", q->path);
	json_out_put_text(&out, "client", q->client_address);
	json_out_put_text(&out, "prefix", q->prefix);
	json_out_put_text(&out, "content_type", q->content_type);
	json_out_put_text(&out, "id", str_of(q->id));
	json_out_put_text(&out, "query_a", request_query(q, "a"));
	json_out_put_int(&out, "body", (int64_t)q->body.len);
	json_out_object_end(&out);
	reply_body(q, "application/json", b);
	return handled(q);
}

static err_t wait_at_gate(struct request *q)
{
	app_wait_at_gate(q->app);
	reply_text(q, "text/plain", STR("waited\n"));
	return handled(q);
}

/* "read" waits, anything else does not. */
static bool is_read(struct request *q)
{
	q->parsed = arena_strdup(q->arena, str_is(q->body, "read") ? "read" : "write");
	return str_is(q->body, "read");
}

static err_t sorted(struct request *q)
{
	if (str_is(q->body, "read"))
		app_wait_at_gate(q->app);
	reply_text(q, "text/plain", str_of(q->parsed));
	return handled(q);
}

/* Works with that much memory for an answer of that length. */
static err_t spend(struct request *q)
{
	struct buf *b = buf_new(q->arena);
	int64_t bytes, answer;
	err_t e = request_query_int(q, "bytes", 0, 1 << 30, 0, &bytes);

	if (!e)
		e = request_query_int(q, "answer", 0, 1 << 30, 0, &answer);
	if (e)
		return e;
	memset(arena_alloc(q->arena, (size_t)bytes), 'w', (size_t)bytes);
	memset(buf_reserve(b, (size_t)answer), 'a', (size_t)answer);
	b->len = (size_t)answer;
	reply_header(q, "ETag", "\"spent\"");
	reply_body(q, "text/plain", b);
	return handled(q);
}

static err_t set_gate(struct request *q)
{
	app_set_gate(q->app, str_is(request_param(q, "state"), "open"));
	return NULL;
}

static void take_out_ended(struct app *app)
{
	pthread_mutex_lock(&app->lock);
	for (struct listener **at = &app->listeners; *at;) {
		struct listener *l = *at;

		if (reply_live_state(l->live) != REPLY_LIVE_OVER) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		reply_live_end(l->live);
		free(l);
		atomic_fetch_add(&app->gone, 1);
	}
	pthread_mutex_unlock(&app->lock);
}

static err_t state(struct request *q)
{
	struct buf *b = buf_new(q->arena);
	struct json_out out = json_out_begin(b);
	unsigned waiting;

	take_out_ended(q->app);
	pthread_mutex_lock(&q->app->lock);
	waiting = q->app->waiting;
	pthread_mutex_unlock(&q->app->lock);
	json_out_object(&out);
	json_out_put_int(&out, "waiting", waiting);
	json_out_put_int(&out, "handled", atomic_load(&q->app->handled));
	json_out_put_int(&out, "gone", atomic_load(&q->app->gone));
	json_out_object_end(&out);
	reply_body(q, "application/json", b);
	return NULL;
}

static err_t detach(struct request *q)
{
	struct app *app = q->app;
	struct str body = { arena_copy(q->arena, q->body.at, q->body.len), q->body.len };

	request_detach(q);
	q->body = body;
	if (!queue_push(app->flush_queue, q))
		request_complete(q, err_new(q->arena, ERR_BUSY, "the flusher is full"));
	return NULL;
}

struct pages {
	int64_t left;
	int64_t fail_after;
	size_t page_bytes;
};

static err_t next_slice(struct request *q, void *p, struct buf *slice, bool *ret_done)
{
	struct pages *pages = p;
	size_t n = pages->left < (int64_t)pages->page_bytes ? (size_t)pages->left
							    : pages->page_bytes;

	if (pages->fail_after-- == 0)
		return err_new(q->arena, ERR_CONFLICT, "the stream fails");
	memset(buf_reserve(slice, n), 'x', n);
	slice->len += n;
	pages->left -= (int64_t)n;
	*ret_done = pages->left == 0;
	return NULL;
}

static err_t stream(struct request *q)
{
	struct pages *pages = arena_new_of(q->arena, struct pages);
	int64_t page_bytes;
	err_t e;

	e = request_query_int(q, "bytes", 0, INT64_MAX, 1 << 20, &pages->left);
	if (e)
		return e;
	e = request_query_int(q, "fail_after", 0, INT64_MAX, -1, &pages->fail_after);
	if (e)
		return e;
	e = request_query_int(q, "page", 1, 1 << 24, 64 << 10, &page_bytes);
	if (e)
		return e;
	pages->page_bytes = (size_t)page_bytes;
	reply_stream(q, "application/octet-stream", next_slice, pages);
	return NULL;
}

/* Nothing in any of its pages until the gate is open. */
static err_t next_nothing(struct request *q, void *p, struct buf *slice, bool *ret_done)
{
	(void)p;
	pthread_mutex_lock(&q->app->lock);
	*ret_done = q->app->gate_is_open;
	pthread_mutex_unlock(&q->app->lock);
	if (*ret_done)
		buf_add_text(slice, "end\n");
	return NULL;
}

static err_t sparse(struct request *q)
{
	reply_stream(q, "text/plain", next_nothing, NULL);
	return NULL;
}

static err_t text(struct request *q)
{
	struct buf *b = buf_new(q->arena);
	int64_t bytes;
	err_t e = request_query_int(q, "bytes", 0, 64 << 20, 1000, &bytes);

	if (e)
		return e;
	memset(buf_reserve(b, (size_t)bytes), 'a', (size_t)bytes);
	b->len = (size_t)bytes;
	reply_body(q, "text/plain", b);
	return NULL;
}

static void close_file(void *p)
{
	close(((struct reply_file *)p)->fd);
}

/* It is in memory, so the kernel sends it. */
static err_t file(struct request *q)
{
	struct reply_file *sent = arena_new_of(q->arena, struct reply_file);
	int64_t bytes;
	err_t e = request_query_int(q, "bytes", 0, 64 << 20, 1000, &bytes);

	if (e)
		return e;
	sent->fd = memfd_create("file", MFD_CLOEXEC);
	if (sent->fd < 0)
		return err_new(q->arena, ERR_INTERNAL, "no file in memory");
	arena_defer(q->arena, close_file, sent);
	for (int64_t left = bytes; left > 0; left -= FILE_STEP) {
		char step[FILE_STEP];
		size_t n = left < FILE_STEP ? (size_t)left : FILE_STEP;

		memset(step, 'a', n);
		if (write(sent->fd, step, n) != (ssize_t)n)
			return err_new(q->arena, ERR_INTERNAL, "no room for a file in memory");
	}
	sent->has_fd = true;
	reply_file(q, "text/plain", sent, 0, bytes);
	return NULL;
}

static err_t fail(struct request *q)
{
	int64_t kind;
	err_t e = request_query_int(q, "kind", 0, ERR_KINDS - 1, 0, &kind);
	struct err *failure;

	if (e)
		return e;
	reply_text(q, "text/plain", STR("never seen"));
	failure = err_field(q->arena, (enum err_kind)kind, "a.b", "secret or not");
	failure->hint = "try something else";
	failure->expected = 7;
	return failure;
}

static err_t live(struct request *q)
{
	struct listener *l = calloc(1, sizeof(*l));
	int64_t limit;
	err_t e = request_query_int(q, "limit", 1, INT32_MAX, 1 << 20, &limit);

	if (e || !l) {
		free(l);
		return e;
	}
	l->live = reply_live(q, (size_t)limit);
	pthread_mutex_lock(&q->app->lock);
	l->next = q->app->listeners;
	q->app->listeners = l;
	pthread_mutex_unlock(&q->app->lock);
	return NULL;
}

void app_end_listeners(struct app *app)
{
	struct listener *l;

	while ((l = app->listeners)) {
		app->listeners = l->next;
		reply_live_end(l->live);
		free(l);
	}
}

/* The body goes to all listeners; answers how many took it. */
static err_t publish(struct request *q)
{
	unsigned taken = 0;
	struct buf *b = buf_new(q->arena);

	pthread_mutex_lock(&q->app->lock);
	for (struct listener *l = q->app->listeners; l; l = l->next)
		taken += reply_live_send(l->live, q->body);
	pthread_mutex_unlock(&q->app->lock);
	take_out_ended(q->app);
	buf_printf(b, "%u\n", taken);
	reply_body(q, "text/plain", b);
	return NULL;
}

static err_t metrics(struct request *q)
{
	struct buf *b = buf_new(q->arena);

	http_server_metrics(http_server_of(q), b);
	reply_body(q, "text/plain; version=0.0.4", b);
	return NULL;
}

const struct route test_routes[] = {
	{ GET, "/healthz", health, ACCESS_OPEN, ROUTE_INLINE, 0, "" },
	{ GET, "/metrics", metrics, ACCESS_OPEN, ROUTE_INLINE, 0, "" },
	{ GET, "/state", state, ACCESS_OPEN, ROUTE_INLINE, 0, "" },
	{ POST, "/gate/{state}", set_gate, ACCESS_OPEN, ROUTE_INLINE, 0, "" },
	{ POST, "/echo", echo, ACCESS_OPEN, 0, 1 << 20, "gate fail" },
	{ PUT, "/echo", echo, ACCESS_OPEN, 0, 256 << 20, "gate fail" },
	{ GET, "/facts/{name}", facts, ACCESS_OPEN, 0, 0, "a b" },
	{ POST, "/facts/{name}", facts, ACCESS_OPEN, 0, 1000, "a b" },
	{ DELETE, "/facts/{name}", facts, ACCESS_OPEN, 0, 0, "a b" },
	{ GET, "/wait", wait_at_gate, ACCESS_OPEN, 0, 0, "" },
	{ POST, "/wait", wait_at_gate, ACCESS_OPEN, 0, 0, "" },
	{ POST, "/ask", wait_at_gate, ACCESS_READ, 0, 0, "" },
	{ GET, "/spend", spend, ACCESS_OPEN, 0, 0, "bytes answer" },
	{ POST, "/sorted", sorted, ACCESS_OPEN, 0, 1 << 20, "", .reads = is_read },
	{ POST, "/detach", detach, ACCESS_OPEN, 0, 1 << 20, "gate fail" },
	{ GET, "/stream", stream, ACCESS_OPEN, 0, 0, "bytes fail_after page" },
	{ GET, "/sparse", sparse, ACCESS_OPEN, 0, 0, "bytes fail_after page" },
	{ GET, "/text", text, ACCESS_OPEN, 0, 0, "bytes" },
	{ GET, "/file", file, ACCESS_OPEN, 0, 0, "bytes" },
	{ GET, "/fail", fail, ACCESS_OPEN, 0, 0, "kind" },
	{ GET, "/live", live, ACCESS_OPEN, 0, 0, "limit" },
	{ POST, "/publish", publish, ACCESS_OPEN, ROUTE_INLINE, 1 << 20, "" },
};
const size_t test_route_count = sizeof(test_routes) / sizeof(test_routes[0]);
