#include "head.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "arena.h"
#include "exchange.h"
#include "id.h"
#include "page_path.h"
#include "path.h"
#include "proxy.h"
#include "static_files.h"

static const char *const method_names[METHODS] = {
	[GET] = "GET", [POST] = "POST", [PUT] = "PUT", [PATCH] = "PATCH", [DELETE] = "DELETE",
};

static bool is_sane_id(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!isalnum((unsigned char)s.at[i]) && !strchr("._:-", s.at[i]))
			return false;
	}
	return s.len > 0 && s.len < sizeof(((struct request *)0)->id);
}

static void set_id(struct request *q)
{
	struct str given = request_header(q, "X-Request-Id");

	if (is_sane_id(given))
		memcpy(q->id, given.at, given.len);
	else
		id_text(q->id, ID_REQUEST_LEN);
}

/* A name or an address, and a port: no characters with a meaning in a link or a header. */
static bool is_host(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!isalnum((unsigned char)s.at[i]) && !strchr("._:-[]", s.at[i]))
			return false;
	}
	return s.len > 0;
}

/*
 * The beginning of a path, as links, redirects and cookies have it: "//host" would lead to another
 * host, "..", a quote or a blank to somewhere else.
 */
static bool is_prefix(struct str s)
{
	char last = '\0';

	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (!isalnum((unsigned char)c) && (!c || !strchr("/._~-", c)))
			return false;
		if ((last == '/' || last == '.') && c == last)
			return false;
		last = c;
	}
	return s.len && s.at[0] == '/';
}

/* Proxies in a row write a list, the one nearest to the client first. */
static struct str first_of(const struct request *q, const char *name)
{
	struct str list = request_header(q, name);

	return str_trim(str_cut(&list, ','));
}

/*
 * Restores the client's original request from the headers of a trusted
 * proxy. Returns the prefix it removed.
 */
static struct str believe_proxy(struct request *q, const struct http_server *server)
{
	struct str prefix = request_header(q, "X-Forwarded-Prefix");
	struct str host = first_of(q, "X-Forwarded-Host");
	struct str proto = first_of(q, "X-Forwarded-Proto");

	q->client_address = proxy_client(q->arena, server->trusted, q->client_address,
					 request_header_list(q, "X-Forwarded-For"));
	if (is_host(host))
		q->host = host;
	if (proto.len)
		q->is_https = str_is(proto, "https");
	while (prefix.len && prefix.at[prefix.len - 1] == '/')
		prefix.len--;
	return is_prefix(prefix) ? prefix : STR("");
}

void head_read_client(struct http_exchange *ex, struct str peer)
{
	const struct http_server *server = ex->server;
	struct request *q = &ex->q;
	struct str host = request_header(q, "Host");
	struct str outer = { "", 0 };

	set_id(q);
	q->client_address = peer;
	q->is_https = server->options.tls_cert_file != NULL;
	q->host = is_host(host) ? host : STR("");
	if (proxy_list_has(server->trusted, peer))
		outer = believe_proxy(q, server);
	q->prefix = str_of(
		arena_printf(q->arena, "%.*s%s", STR_ARG(outer), server->options.path_prefix));
}

/* "http://host/path", as some clients and all proxies write it, is "/path". */
static struct str without_authority(struct str target)
{
	const char *slash;

	if (!str_starts(target, "http://") && !str_starts(target, "https://"))
		return target;
	target.len -= (size_t)(strchr(target.at, ':') + 3 - target.at);
	target.at = strchr(target.at, ':') + 3;
	slash = memchr(target.at, '/', target.len);
	if (!slash)
		return STR("/");
	return (struct str){ slash, target.len - (size_t)(slash - target.at) };
}

/* False if the path is not under the prefix. */
static bool strip_prefix(struct str *path, const char *prefix)
{
	size_t len = strlen(prefix);

	if (!str_starts(*path, prefix) || (path->len > len && path->at[len] != '/'))
		return false;
	path->at += len;
	path->len -= len;
	if (!path->len && len)
		*path = STR("/");
	return true;
}

static void read_method(struct http_exchange *ex, const char *method)
{
	ex->is_head = strcmp(method, "HEAD") == 0;
	for (int m = GET; m < METHODS; m++) {
		if (strcmp(method, method_names[m]) == 0)
			ex->q.method = (enum method)m;
	}
	if (ex->is_head)
		ex->q.method = GET;
}

static const char *allow_text(struct arena *a, unsigned allowed)
{
	const char *text = "OPTIONS";

	for (int m = GET; m < METHODS; m++) {
		if (allowed & 1u << m)
			text = arena_printf(a, "%s, %s%s", text, method_names[m],
					    m == GET ? ", HEAD" : "");
	}
	return text;
}

/* The path exists, the method does not. */
static void answer_method(struct request *q, const char *method, unsigned allowed)
{
	const char *allow = allow_text(q->arena, allowed);

	if (strcmp(method, "OPTIONS") == 0)
		reply_status(q, 204);
	else
		reply_problem(q, 405, "method-not-allowed", "Method not allowed",
			      arena_printf(q->arena, "allowed methods are %s", allow));
	reply_header(q, "Allow", allow);
}

/* Most clients here are browsers with the server's address typed in. */
static const char *hint_for_people(struct request *q, const char *path_prefix)
{
	return arena_printf(
		q->arena,
		"the REST API is below %s/api/v1, see docs/rest.md; sign in and create keys at "
		"%s/authorize",
		path_prefix, path_prefix);
}

static const char *hint_for_sdk(struct request *q)
{
	return arena_printf(
		q->arena,
		"WANDB_BASE_URL is %.*s here; set path_prefix if the server is to be reached "
		"under another path",
		STR_ARG(request_base(q)));
}

static err_t nothing_here(struct request *q, struct str path, const char *path_prefix)
{
	struct err *e = err_new(q->arena, ERR_NOT_FOUND, "no such path");

	q->is_of_sdk = q->method == POST && str_ends(path, "/graphql");
	e->hint = q->is_of_sdk ? hint_for_sdk(q) : hint_for_people(q, path_prefix);
	return e;
}

/* An address of the page, requested by a browser. */
static bool is_page(const struct http_exchange *ex)
{
	return ex->q.method == GET && page_path_is_free(ex->q.path) &&
	       page_path_is_asked_for(headers_find(&ex->headers, "Accept"));
}

/* Finds the path's routes, and the one of the method. */
static err_t match(struct http_exchange *ex, const char *method, struct str path)
{
	struct request *q = &ex->q;
	const char *prefix = ex->server->options.path_prefix;
	struct route_options options;

	q->route = route_find(ex->server->routes, q->method, path, q->arena, &q->params, &options);
	ex->is_link = options.flags & ROUTE_LINK;
	ex->is_for_pages = options.flags & ROUTE_PAGES;
	if (path_has_dot(q->arena, path) && !(q->route && route_has_rest(q->route)))
		return err_new(q->arena, ERR_INVALID, "the path has a segment \".\"");
	if (!q->route && !options.methods &&
	    static_files_has(ex->server->files, q->arena, q->path)) {
		options.methods = 1u << GET;
		if (q->method == GET)
			return static_files_reply(ex->server->files, q)
				       ? NULL
				       : nothing_here(q, path, prefix);
	}
	if (!q->route && !options.methods && is_page(ex)) {
		static_files_reply_page(q, "index.html");
		return NULL;
	}
	if (!q->route && !options.methods)
		return nothing_here(q, path, prefix);
	if (!q->route)
		answer_method(q, method, options.methods);
	return NULL;
}

static err_t find_route(struct http_exchange *ex, const char *method)
{
	const struct http_options *options = &ex->server->options;
	struct request *q = &ex->q;
	struct str target = without_authority(ex->target);
	const char *fault = path_fault(q->arena, target);
	struct str path;

	if (fault)
		return err_new(q->arena, ERR_INVALID, "%s", fault);
	path = str_cut(&target, '?');
	ex->query = target;
	read_method(ex, method);
	if (!strip_prefix(&path, options->path_prefix))
		return nothing_here(q, path, options->path_prefix);
	if (!path_decode(q->arena, path, PATH_PLUS_STAYS, &q->path))
		return err_new(q->arena, ERR_INVALID,
			       "the path contains an invalid percent-escape");
	return match(ex, method, path);
}

/*
 * A proxy might use one line of these and we another, for authentication,
 * the host, or the media type.
 */
static bool is_said_once(const struct headers *h)
{
	static const char *const once[] = { "Host", "Authorization", "Content-Type" };

	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		if (headers_count(h, once[i]) > 1)
			return false;
	}
	return true;
}

/*
 * Two lengths, or a length and chunks, can smuggle requests past a proxy; so can chunks, which
 * HTTP/1.0 does not have (RFC 9112, 6.1).
 */
static const char *framing_fault(const struct http_exchange *ex, const struct request_line *line)
{
	const struct headers *h = &ex->headers;
	struct str encoding = headers_find(h, "Transfer-Encoding");
	bool is_old = strcmp(line->version, "HTTP/1.0") == 0;

	if (h->fault)
		return h->fault;
	if (headers_count(h, "Content-Length") + headers_count(h, "Transfer-Encoding") > 1)
		return "the length of the body is given twice";
	if (encoding.at && strcasecmp(encoding.at, "chunked") != 0)
		return "unsupported transfer encoding: only \"chunked\" is supported";
	if (encoding.at && is_old)
		return "transfer encodings are not allowed in HTTP/1.0";
	if (!headers_find(h, "Host").at && !is_old)
		return "missing header \"Host\"";
	return is_said_once(h) ? NULL : "duplicate header: this header may appear only once";
}

static err_t read_framing(struct http_exchange *ex, const struct request_line *line)
{
	struct arena *a = ex->q.arena;
	struct str length = headers_find(&ex->headers, "Content-Length");
	const char *fault = framing_fault(ex, line);

	if (fault)
		return err_new(a, ERR_INVALID, "%s", fault);
	if (length.at && !str_to_int64(length, 0, INT64_MAX, &ex->length))
		return err_new(a, ERR_INVALID, "invalid Content-Length");
	ex->chunked = headers_find(&ex->headers, "Transfer-Encoding").at != NULL;
	ex->expects_continue =
		strcasecmp(str_of(headers_find(&ex->headers, "Expect").at).at, "100-continue") == 0;
	return NULL;
}

static void read_content_type(struct request *q)
{
	struct str value = request_header(q, "Content-Type");
	struct str type = str_trim(str_cut(&value, ';'));
	char *lower = str_copy(q->arena, type);

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	q->content_type = (struct str){ lower, type.len };
}

static size_t body_limit(const struct http_exchange *ex)
{
	size_t of_server = ex->server->options.max_body;
	size_t of_route = ex->q.route->max_body;

	if (ex->q.route->flags & ROUTE_UPLOAD)
		return ex->server->options.max_upload;
	return of_route < of_server ? of_route : of_server;
}

static err_t read_body_limits(struct http_exchange *ex)
{
	struct arena *a = ex->q.arena;
	enum inflate_kind kind = inflate_kind_of(request_header_list(&ex->q, "Content-Encoding"));
	size_t limit = body_limit(ex);
	struct err *e;

	if (!ex->chunked && ex->length <= 0)
		kind = INFLATE_NONE;
	if (kind != INFLATE_NONE && ex->q.route->flags & ROUTE_UPLOAD)
		return err_new(a, ERR_UNSUPPORTED, "files must be sent without Content-Encoding");
	if (kind == INFLATE_UNKNOWN) {
		e = err_new(a, ERR_UNSUPPORTED, "unsupported Content-Encoding");
		e->hint = "use gzip or zstd, or no encoding";
		return e;
	}
	if (limit == 0 && (ex->chunked || ex->length > 0))
		return err_new(a, ERR_TOO_LARGE, "this request must not have a body");
	if (ex->length > 0 && (uint64_t)ex->length > body_most_raw(kind, limit))
		return err_new(a, ERR_TOO_LARGE, "the body is larger than %zu bytes", limit);
	ex->q.length = ex->chunked ? -1 : ex->length < 0 ? 0 : ex->length;
	ex->upload.limit = limit;
	if (ex->q.route->flags & ROUTE_UPLOAD)
		limit = 0; /* none of it is collected */
	body_init(&ex->body, kind, limit, &ex->share);
	ex->body.takes_broken = ex->q.route->flags & ROUTE_ANY_BODY;
	return NULL;
}

/* A lost line may have been an important one. */
static void answer_too_many_lines(struct http_exchange *ex)
{
	ex->is_misframed = true;
	reply_problem(&ex->q, 431, "too-large", "Too many header lines",
		      arena_printf(ex->q.arena, "a request may have at most %d header lines",
				   HEADERS_MAX));
}

err_t head_read(struct http_exchange *ex, const struct request_line *line)
{
	err_t e;

	if (ex->headers.too_many) {
		answer_too_many_lines(ex);
		return NULL;
	}
	e = read_framing(ex, line);
	ex->is_misframed = e != NULL;
	if (!e)
		e = find_route(ex, line->method);
	if (e || !ex->q.route)
		return e;
	read_content_type(&ex->q);
	return read_body_limits(ex);
}
