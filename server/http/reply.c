#include "reply.h"

#include <assert.h>
#include <strings.h>

#include "exchange.h"

enum { KEPT_BYTES = 1024 };

void reply_status(struct request *q, unsigned status)
{
	q->reply->status = status;
}

const struct reply_header *reply_header_find(const struct reply *r, const char *name)
{
	for (const struct reply_header *h = r->headers; h; h = h->next) {
		if (strcasecmp(h->name, name) == 0)
			return h;
	}
	return NULL;
}

/* A line end in a value would begin another header. */
static char *header_text(struct arena *a, const char *value)
{
	char *text = arena_strdup(a, value);

	for (char *p = text; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	}
	return text;
}

void reply_header(struct request *q, const char *name, const char *value)
{
	struct reply_header *h = arena_new_of(q->arena, struct reply_header);

	h->name = arena_strdup(q->arena, name);
	h->value = header_text(q->arena, value);
	h->next = q->reply->headers;
	q->reply->headers = h;
}

struct json_out reply_json(struct request *q)
{
	q->reply->content_type = "application/json";
	q->reply->json = buf_new(q->arena);
	return json_out_begin(q->reply->json);
}

void reply_settle(struct request *q)
{
	if (!q->reply->json)
		return;
	q->reply->body = buf_str(q->reply->json);
	q->reply->holder = q->reply->json;
}

void reply_body(struct request *q, const char *content_type, struct buf *body)
{
	reply_text(q, content_type, buf_str(body));
	q->reply->holder = body;
}

void reply_text(struct request *q, const char *content_type, struct str body)
{
	q->reply->content_type = content_type;
	q->reply->body = body;
	q->reply->holder = NULL;
	q->reply->next = NULL;
}

static void free_slice(void *p)
{
	buf_free(p);
}

void reply_stream(struct request *q, const char *content_type, reply_next_fn *next, void *state)
{
	struct reply *r = q->reply;

	r->content_type = content_type;
	r->next = next;
	r->state = state;
	r->slice.share = arena_share(q->arena);
	arena_defer(q->arena, free_slice, &r->slice);
}

void reply_file(struct request *q, const char *content_type, struct reply_file *file,
		int64_t offset, int64_t length)
{
	struct reply *r = q->reply;

	r->content_type = content_type;
	r->file = file;
	r->file_length = r->file_left = length;
	r->file_offset = offset;
	r->slice.share = arena_share(q->arena);
	arena_defer(q->arena, free_slice, &r->slice);
}

void reply_stream_file(struct request *q, struct reply_file *file, int64_t length)
{
	struct reply *r = q->reply;

	assert(r->next && !r->file_left);
	r->file = file;
	r->file_offset = 0;
	r->file_left = length;
}

void reply_no_range(struct request *q, int64_t length)
{
	reply_problem(q, 416, "no-range", "Range not satisfiable",
		      arena_printf(q->arena, "the file has %lld bytes", (long long)length));
	reply_header(q, "Content-Range", arena_printf(q->arena, "bytes */%lld", (long long)length));
}

void reply_reset(struct request *q)
{
	buf_free(&q->reply->slice);
	*q->reply = (struct reply){ 0 };
}

/* A plain copy in another arena: values were sanitized before. */
static struct reply_header *copy_headers(struct arena *a, const struct reply_header *headers)
{
	struct reply_header *first = NULL;
	struct reply_header **at = &first;

	for (const struct reply_header *h = headers; h; h = h->next) {
		*at = arena_new_of(a, struct reply_header);
		(*at)->name = arena_strdup(a, h->name);
		(*at)->value = arena_strdup(a, h->value);
		at = &(*at)->next;
	}
	return first;
}

/* The body's memory moves, unless it is a literal or text of the arena. */
static void take_body(struct reply *r, struct buf *body)
{
	if (!r->holder || r->holder->at != r->body.at) {
		buf_add_str(body, r->body);
		return;
	}
	buf_count_in(r->holder, body->share);
	*body = *r->holder;
	*r->holder = (struct buf){ .share = body->share };
	body->len = r->body.len;
	buf_trim(body);
}

void reply_keep(struct request *q, const struct arena_mark *mark, struct buf *body)
{
	struct arena *beside = arena_new(KEPT_BYTES);
	struct reply *r = q->reply;
	struct reply_header *headers = copy_headers(beside, r->headers);

	take_body(r, body);
	arena_rewind(q->arena, mark);
	r->body = buf_str(body);
	r->json = r->holder = NULL;
	r->headers = copy_headers(q->arena, headers);
	arena_free(beside);
}

static void add_default(struct request *q, const char *name, const char *value)
{
	if (!reply_header_find(q->reply, name))
		reply_header(q, name, value);
}

static bool list_has(const char *list, struct str item)
{
	struct str rest = str_of(list);

	while (rest.len) {
		struct str one = str_trim(str_cut(&rest, ','));

		if (one.len && (str_is(one, "*") || str_equal(one, item)))
			return true;
	}
	return false;
}

/* "https://cairn.example:8080" of "https://cairn.example:8080/cairn". */
static struct str origin_of(struct str base)
{
	struct str rest = base;
	struct str scheme = str_cut(&rest, ':');
	struct str host;

	if (!str_starts(rest, "//"))
		return base;
	rest = (struct str){ rest.at + 2, rest.len - 2 };
	host = str_cut(&rest, '/');
	return (struct str){ scheme.at, (size_t)(host.at + host.len - scheme.at) };
}

static bool is_own(const struct request *q, struct str origin)
{
	return q->exchange->is_for_pages && str_equal(origin, origin_of(request_base(q)));
}

/*
 * A holder of a link may use it from any origin: it grants only its one
 * file, and no key is sent with it.
 */
static void add_link_cors(struct request *q)
{
	reply_header(q, "Access-Control-Allow-Origin", "*");
	reply_header(q, "Access-Control-Expose-Headers",
		     "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After, "
		     "X-Request-Id");
	if (!request_header(q, "Access-Control-Request-Method").len)
		return;
	reply_header(q, "Access-Control-Allow-Methods", "GET, HEAD, PUT");
	reply_header(q, "Access-Control-Allow-Headers",
		     "Content-MD5, Content-Type, If-None-Match, If-Range, Range, X-Request-Id");
	reply_header(q, "Access-Control-Max-Age", "600");
}

static void add_cors(struct request *q, const char *allowed_origins)
{
	struct str origin = request_header(q, "Origin");

	if (q->exchange->is_link) {
		add_link_cors(q);
		return;
	}
	if ((!allowed_origins || !*allowed_origins) && !q->exchange->is_for_pages)
		return;
	reply_header(q, "Vary", "Origin");
	if (!origin.len || !(list_has(allowed_origins, origin) || is_own(q, origin)))
		return;
	reply_header(q, "Access-Control-Allow-Origin", origin.at);
	reply_header(
		q, "Access-Control-Expose-Headers",
		"Accept-Ranges, Cairn-Behind, Cairn-Read-From, Cairn-Written, Content-Disposition, "
		"Content-Range, ETag, Location, Retry-After, X-Request-Id");
	if (!request_header(q, "Access-Control-Request-Method").len)
		return;
	reply_header(q, "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
	reply_header(
		q, "Access-Control-Allow-Headers",
		"Authorization, Content-MD5, Content-Type, Content-Encoding, If-Match, "
		"If-None-Match, If-Range, Range, Cairn-After, Idempotency-Key, Last-Event-ID, X-Request-Id");
	reply_header(q, "Access-Control-Max-Age", "600");
}

void reply_add_defaults(struct request *q)
{
	const struct http_server *server = q->exchange->server;
	const struct http_connection *link = q->exchange->link;

	if (!q->reply->status)
		q->reply->status = q->reply->content_type ? 200 : 204;
	if (q->reply->content_type)
		reply_header(q, "Content-Type", q->reply->content_type);
	reply_header(q, "X-Request-Id", q->id);
	add_default(q, "X-Content-Type-Options", "nosniff");
	add_default(q, "X-Frame-Options", "DENY");
	add_default(q, "Referrer-Policy", "same-origin");
	add_default(q, "Cache-Control", "no-store");
	add_cors(q, server->options.cors_origins);
	if (q->is_https && server->options.hsts_s)
		add_default(q, "Strict-Transport-Security",
			    arena_printf(q->arena, "max-age=%d", server->options.hsts_s));
	if (atomic_load(&server->draining) || (link && link->is_over) || q->exchange->is_misframed)
		add_default(q, "Connection", "close");
}
