/*
 * Errors as answers: the one table of HTTP numbers, and the problem documents of RFC 9457.
 */
#include <string.h>

#include "exchange.h"
#include "json_out.h"

static const struct {
	unsigned status;
	const char *title;
} kinds[ERR_KINDS] = {
	[ERR_INVALID] = { 400, "Invalid request" },
	[ERR_UNAUTHORIZED] = { 401, "Authentication required" },
	[ERR_FORBIDDEN] = { 403, "Not allowed" },
	[ERR_NOT_FOUND] = { 404, "Not found" },
	[ERR_GONE] = { 410, "Deleted" },
	[ERR_CONFLICT] = { 409, "Conflict" },
	[ERR_PRECONDITION] = { 412, "Precondition failed" },
	[ERR_TOO_LARGE] = { 413, "Too large" },
	[ERR_UNSUPPORTED] = { 415, "Unsupported media type" },
	[ERR_UNPROCESSABLE] = { 422, "Rejected by a rule or limit" },
	[ERR_RATE_LIMIT] = { 429, "Too many requests" },
	[ERR_BUSY] = { 503, "Busy" },
	[ERR_TIMEOUT] = { 504, "Timeout" },
	[ERR_INTERNAL] = { 500, "Internal error" },
};

static const char internal_detail[] =
	"internal error; the server's log has details under this request id";

struct problem {
	unsigned status;
	const char *type;
	const char *title;
	const char *detail;
	err_t e; /* NULL: nothing more to say */
};

static void put_optional(struct json_out *out, const char *key, const char *text)
{
	if (text)
		json_out_put_text(out, key, str_of(text));
}

static void put_range(struct json_out *out, const struct err_range *at)
{
	if (!at)
		return;
	json_out_key(out, "at");
	json_out_object(out);
	json_out_put_int(out, "offset", (int64_t)at->offset);
	json_out_put_int(out, "length", (int64_t)at->length);
	json_out_object_end(out);
}

static struct buf *problem_text(struct request *q, const struct problem *p)
{
	struct buf *b = buf_new(q->arena);
	struct json_out out = json_out_begin(b);

	json_out_object(&out);
	json_out_put_text(&out, "type",
			  str_of(arena_printf(q->arena, "urn:cairn:problem:%s", p->type)));
	json_out_put_text(&out, "title", str_of(p->title));
	json_out_put_int(&out, "status", p->status);
	json_out_put_text(&out, "detail", str_of(p->detail));
	if (p->e) {
		put_optional(&out, "field", p->e->field);
		put_range(&out, p->e->at);
		put_optional(&out, "hint", p->e->hint);
		if (p->e->expected)
			json_out_put_int(&out, "expected", p->e->expected);
	}
	json_out_put_text(&out, "request_id", str_of(q->id));
	json_out_object_end(&out);
	buf_add_byte(b, '\n');
	return b;
}

/*
 * The form that the wandb SDK shows to users: the messages of "errors" for a GraphQL request,
 * "error" elsewhere, and "<no message>" when it finds neither.
 */
static struct buf *sdk_text(struct request *q, const struct problem *p)
{
	const char *hint = p->e ? p->e->hint : NULL;
	struct buf *b = buf_new(q->arena);
	struct json_out out = json_out_begin(b);
	struct str text;

	text = str_of(hint ? arena_printf(q->arena, "%s (%s)", p->detail, hint) : p->detail);
	json_out_object(&out);
	json_out_key(&out, "errors");
	json_out_array(&out);
	json_out_object(&out);
	json_out_put_text(&out, "message", text);
	json_out_object_end(&out);
	json_out_array_end(&out);
	json_out_put_text(&out, "error", text);
	json_out_put_text(&out, "request_id", str_of(q->id));
	json_out_object_end(&out);
	buf_add_byte(b, '\n');
	return b;
}

static void answer_problem(struct request *q, const struct problem *p)
{
	reply_status(q, p->status);
	if (q->is_of_sdk || (q->route && q->route->flags & ROUTE_WANDB)) {
		reply_body(q, "application/json", sdk_text(q, p));
		return;
	}
	reply_body(q, "application/problem+json", problem_text(q, p));
}

/* Drops what the handler had prepared, but not its Retry-After. */
static void clear_reply(struct request *q)
{
	const struct reply_header *retry = reply_header_find(q->reply, "Retry-After");

	reply_reset(q);
	if (retry)
		reply_header(q, retry->name, retry->value);
}

void reply_problem(struct request *q, unsigned status, const char *type, const char *title,
		   const char *detail)
{
	struct problem p = { .status = status, .type = type, .title = title, .detail = detail };

	clear_reply(q);
	answer_problem(q, &p);
}

void reply_error(struct request *q, err_t e)
{
	bool is_internal = e->kind == ERR_INTERNAL;
	struct problem p = {
		.status = kinds[e->kind].status,
		.type = is_internal || !e->type ? err_kind_name(e->kind) : e->type,
		.title = kinds[e->kind].title,
		.detail = is_internal ? internal_detail : e->message,
		.e = is_internal ? NULL : e,
	};

	clear_reply(q);
	if (e->kind == ERR_UNAUTHORIZED)
		reply_header(q, "WWW-Authenticate", "Bearer realm=\"cairn\"");
	if ((e->kind == ERR_BUSY || e->kind == ERR_RATE_LIMIT) &&
	    !reply_header_find(q->reply, "Retry-After"))
		reply_header(q, "Retry-After", "1");
	answer_problem(q, &p);
}
