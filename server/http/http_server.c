/*
 * The only user of libmicrohttpd, with send.c: its threads, callbacks and traps.
 *
 *   - It decodes paths before we can read them: its unescape callback is replaced by one that does
 *     nothing, and the raw request target is kept by the callback meant for logging it.
 *   - A reply can be queued in the first call of the handler, which ends the connection, or in the
 *     last; not while the body comes. So a refusal in between waits for the last call.
 *   - A suspended connection has neither time-out nor disconnect, and the daemon must not be stopped
 *     while there is one: all are listed (exchange.h), and stop resumes them.
 *   - Requests that it refuses itself (a head larger than its memory, a broken chunk, a length that
 *     is not a number) it answers in HTML and closes; that cannot be changed.
 *   - MHD_quiesce_daemon() takes the listening socket out of each I/O thread's epoll set, and so
 *     does the thread if it wakes at the same time: the second one aborts the program (0.9.75 to
 *     1.0.1).
 *   - Its memory per connection is cleared for each request: large pools are slow.
 *   - Before 1.0 it cannot be set to be strict: it ends lines at a bare LF, cuts values at U+0000,
 *     and ends the head at a line without a name. Its head is in one piece in memory, and the
 *     places of its parts show what was between them (read_headers). A U+0000 before a bare LF
 *     cannot be distinguished from CRLF there, nor can a chunk's line that came in a segment of its
 *     own; from 1.0 on both are refused.
 */
#include "http_server.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "disk.h"
#include "exchange.h"
#include "http_metrics.h"
#include "listen.h"
#include "live.h"
#include "log.h"
#include "proxy.h"
#include "send.h"
#include "static_files.h"
#include "static_folder.h"
#include "tls_certificate.h"
#include "watch.h"
#include "worker.h"

enum {
	CONNECTION_MEMORY = 32 << 10, /* heads, and pieces of bodies */
};

bool exchange_park(struct http_exchange *ex)
{
	struct http_server *server = ex->server;
	bool may;

	pthread_mutex_lock(&server->lock);
	may = !server->stopping;
	if (may) {
		atomic_store(&ex->parked, true);
		MHD_suspend_connection(ex->connection);
	}
	pthread_mutex_unlock(&server->lock);
	return may;
}

void exchange_wake(struct http_exchange *ex)
{
	if (atomic_exchange(&ex->parked, false))
		MHD_resume_connection(ex->connection);
}

/* The target is kept as it came; see path.h. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct http_exchange *ex = exchange_new(cls, target);

	ex->connection = connection;
	return ex;
}

static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text)
{
	(void)cls;
	(void)connection;
	return strlen(text);
}

#if MHD_VERSION >= 0x00097701
#define OPTION_STRICT MHD_OPTION_CLIENT_DISCIPLINE_LVL
#else
#define OPTION_STRICT MHD_OPTION_STRICT_FOR_CLIENT
#endif

/* The version of the library at run time, which may be newer than the header compiled in. */
static bool can_be_strict(void)
{
	return strncmp(MHD_get_version(), "0.", 2) != 0;
}

/*
 * Before 1.0 the library adds a line that begins with a blank to the name
 * of the line before it, in memory after the head; otherwise names are
 * before their values. Later versions add it to the value.
 */
static bool is_folded(const char *name, const char *value)
{
	return MHD_VERSION < 0x01000000 && value && (uintptr_t)value < (uintptr_t)name;
}

/*
 * The library has put zeros over the ends of lines, one over LF and two over CRLF. So in a strict head each
 * line begins two bytes after the last one, and the blank line ends it.
 */
enum { LINE_END = 2 };
static const char line_fault[] =
	"a header line does not end with CRLF, has no name, or contains U+0000";

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *name,
				 size_t name_len, const char *value, size_t value_len)
{
	struct http_exchange *ex = cls;

	(void)kind;
	if (is_folded(name, value))
		ex->headers.fault = "a header continues on a second line";
	else if (!can_be_strict() && name != ex->line_at)
		ex->headers.fault = line_fault;
	ex->line_at = value ? value + value_len + LINE_END : NULL;
	headers_add(&ex->headers, ex->q.arena, (struct str){ name, name_len },
		    (struct str){ value ? value : "", value_len });
	return MHD_YES;
}

static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info ? info->client_addr : NULL;
}

static struct str peer_address(struct http_exchange *ex)
{
	return proxy_address_text(ex->q.arena, address_of(ex->connection));
}

static struct http_connection *link_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The connection sleeps until a worker, or the disk, is done with it. */
static enum MHD_Result hand_over(struct http_exchange *ex)
{
	bool is_for_disk = ex->q.sink && ex->phase != PHASE_CHECK;

	watch_idle(ex->link);
	if (!exchange_park(ex))
		return MHD_NO;
	atomic_store(&ex->upload.is_writing, is_for_disk);
	if (is_for_disk)
		disk_queue(ex);
	else
		exchange_queue(ex);
	return MHD_YES;
}

static enum MHD_Result begin_body(struct http_exchange *ex)
{
	if (!exchange_answers_early(ex))
		return MHD_YES;
	atomic_store(&ex->answered, true);
	return send_reply(ex);
}

static void read_headers(struct http_exchange *ex, const struct request_line *line)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(ex->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	ex->line_at = line->version + strlen(line->version) + LINE_END;
	MHD_get_connection_values_n(ex->connection, MHD_HEADER_KIND, on_header, ex);
	ex->body_at = line->method + (info ? info->header_size : 0);
	if (!can_be_strict() && !ex->headers.fault && ex->line_at + LINE_END != ex->body_at)
		ex->headers.fault = line_fault;
}

static enum MHD_Result take_head(struct http_exchange *ex, const struct request_line *line)
{
	ex->link = link_of(ex->connection);
	watch_receiving(ex->link);
	read_headers(ex, line);
	exchange_take_head(ex, line, peer_address(ex));
	return ex->phase == PHASE_CHECK ? hand_over(ex) : begin_body(ex);
}

/* The library calls once more with the head when it was resumed there. */
static enum MHD_Result end_check(struct http_exchange *ex)
{
	watch_receiving(ex->link);
	ex->phase = PHASE_BODY;
	return begin_body(ex);
}

static enum MHD_Result take_end(struct http_exchange *ex)
{
	return exchange_take_end(ex) ? send_reply(ex) : hand_over(ex);
}

/*
 * If a piece is not at the beginning of the library's buffer, the line of its chunk is before it.
 */
static bool has_strict_line(const struct http_exchange *ex, const char *data)
{
	if (can_be_strict() || !ex->chunked || data - ex->body_at < LINE_END)
		return true;
	return data[-2] == '\r' && data[-1] == '\n';
}

/* Bytes that are not taken are offered again when the connection is resumed. */
static enum MHD_Result take_piece(struct http_exchange *ex, const char *data, size_t *size)
{
	struct str piece = { data, *size };

	if (atomic_load(&ex->upload.is_writing))
		return MHD_YES;
	*size = 0;
	if (!has_strict_line(ex, data))
		exchange_refuse_framing(ex, "the line of a chunk does not end with CRLF");
	watch_received(ex->link, piece.len);
	if (!exchange_take_body(ex, piece))
		return MHD_NO;
	return exchange_wants_disk(ex) ? hand_over(ex) : MHD_YES;
}

/* Called with the head, with each piece of the body, at its end, and whenever it was resumed. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **slot)
{
	struct http_exchange *ex = *slot;

	(void)cls;
	(void)connection;
	(void)url;
	if (!ex || atomic_load(&ex->abandoned))
		return MHD_NO;
	if (ex->phase == PHASE_HEAD)
		return take_head(ex, &(struct request_line){ method, version });
	if (ex->phase == PHASE_CHECK)
		return end_check(ex);
	if (*size)
		return take_piece(ex, data, size);
	if (ex->phase == PHASE_BODY)
		return take_end(ex);
	return atomic_load(&ex->answered) ? send_reply(ex) : MHD_YES;
}

/* How much of a file the kernel sent; an answer that broke off is counted by what was acknowledged of it. */
static void note_sent(struct http_exchange *ex, bool complete)
{
	const uint64_t length = (uint64_t)ex->reply.file_length;
	const int64_t known = watch_acknowledged(ex->link);

	if (ex->is_head)
		return;
	ex->reply.sent_bytes = complete || (uint64_t)known > length ? length : (uint64_t)known;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **slot,
			 enum MHD_RequestTerminationCode code)
{
	struct http_exchange *ex = *slot;

	(void)cls;
	*slot = NULL;
	if (!ex)
		return;
	if (ex->reply.is_sent_by_kernel)
		note_sent(ex, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	watch_receiving(link_of(connection));
	exchange_close(ex, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	exchange_release(ex);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **slot,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*slot = info ? watch_add(cls, info->connect_fd, address_of(connection)) : NULL;
	} else {
		watch_remove(cls, *slot);
		*slot = NULL;
	}
}

static void on_message(void *cls, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
static void on_message(void *cls, const char *fmt, va_list ap)
{
	char text[256];
	size_t len;

	(void)cls;
	vsnprintf(text, sizeof(text), fmt, ap);
	len = strlen(text);
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	log_debug("http", LOG_TEXT("detail", text));
}

static err_t start_daemon(struct arena *a, struct http_server *server)
{
	const struct http_options *o = &server->options;
	bool has_tls = server->certificate != NULL;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			 MHD_USE_ERROR_LOG | (has_tls ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls_options[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, tls_certificate_callback() },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem no_options[] = { { MHD_OPTION_END, 0, NULL } };

	server->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, on_message,
		NULL, MHD_OPTION_LISTEN_SOCKET, server->listen_fd, MHD_OPTION_THREAD_POOL_SIZE,
		o->io_threads > 1 ? o->io_threads : 0, MHD_OPTION_CONNECTION_LIMIT,
		o->connection_limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)o->idle_timeout_s,
		MHD_OPTION_URI_LOG_CALLBACK, on_target, server, MHD_OPTION_UNESCAPE_CALLBACK,
		keep_escapes, NULL, OPTION_STRICT, can_be_strict() ? 1 : 0,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, server, MHD_OPTION_ARRAY, has_tls ? tls_options : no_options,
		MHD_OPTION_END);
	if (server->daemon)
		return NULL;
	return err_new(a, ERR_INTERNAL, "cannot start the %s server", has_tls ? "HTTPS" : "HTTP");
}

static void init_locks(struct http_server *server)
{
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->connection_lock, NULL);
	clock_cond_init(&server->changed);
	clock_cond_init(&server->watch_wakes);
}

static struct http_server *server_new(struct arena *a, const struct http_options *options)
{
	struct http_server *server = arena_new_of(a, struct http_server);
	struct str prefix = str_of(options->path_prefix);

	while (prefix.len && prefix.at[prefix.len - 1] == '/')
		prefix.len--;
	server->options = *options;
	server->options.path_prefix = str_copy(a, prefix);
	server->arena = a;
	server->listen_fd = -1;
	server->routes = route_table_new(a, options->routes, options->route_count);
	server->metrics = http_metrics_new(a, options->routes, options->route_count);
	/* Pages of streams wait in it, too, and are never refused. */
	server->connection_shares = shares_new(a);
	server->read_shares = shares_new(a);
	server->queue = work_queue_new(options->queue_limit + options->connection_limit + 1);
	work_queue_limit_owner(server->queue, options->workers,
			       shares_of(worker_reading_count(options), options->client_share));
	init_locks(server);
	return server;
}

static err_t open_files(struct arena *a, struct http_server *server)
{
	const struct http_options *o = &server->options;
	struct static_folder *from = NULL;
	err_t e = o->web_dir ? static_folder_open(a, o->web_dir, &from) : NULL;

	if (!e)
		server->files = static_files_new(a, o->files, o->file_count, from);
	return e;
}

static err_t start(struct arena *a, struct http_server *server)
{
	const struct http_options *o = &server->options;
	err_t e;

	e = open_files(a, server);
	if (e)
		return e;
	e = proxy_list_parse(a, o->trusted_proxies, &server->trusted);
	if (e)
		return e;
	e = tls_certificate_open(a, o->tls_cert_file, o->tls_key_file, &server->certificate);
	if (e)
		return e;
	e = listen_open(a, o->listen, &server->listen_fd, &server->port);
	if (e)
		return e;
	e = worker_start_all(a, server);
	if (e)
		return e;
	e = disk_start(a, server);
	if (e)
		return e;
	e = watch_start(a, server);
	if (e)
		return e;
	e = start_daemon(a, server);
	if (e)
		return e;
	server->has_port_file = o->port_file != NULL;
	return o->port_file ? listen_write_port(a, o->port_file, server->port) : NULL;
}

err_t http_server_start(struct arena *a, const struct http_options *options,
			struct http_server **ret_server)
{
	struct http_server *server = server_new(a, options);
	err_t e = start(a, server);

	if (e) {
		http_server_stop(server);
		return e;
	}
	*ret_server = server;
	return NULL;
}

struct http_server *http_server_of(const struct request *q)
{
	return q->exchange->server;
}

bool http_server_trusts(const struct request *q, struct str address)
{
	return proxy_list_has(q->exchange->server->trusted, address);
}

unsigned http_server_port(const struct http_server *server)
{
	return server->port;
}

void http_server_refresh(struct http_server *server, enum tls_refresh when)
{
	tls_certificate_refresh(server->certificate, when);
}

/*
 * Not by MHD_quiesce_daemon(): see above. The socket is closed beneath the library, so that the
 * kernel takes it out of every set, and its number then refers to a descriptor without events; the
 * library closes that. Clients that still wait to be accepted are refused.
 */
static void stop_listening(struct http_server *server)
{
	int nothing = eventfd(0, EFD_CLOEXEC);

	shutdown(server->listen_fd, SHUT_RDWR);
	if (nothing < 0 || dup3(nothing, server->listen_fd, O_CLOEXEC) < 0)
		log_warning("the listening socket stays open until the end");
	if (nothing >= 0)
		close(nothing);
}

static void stop_daemon(struct http_server *server)
{
	if (!server->daemon)
		return;
	atomic_store(&server->draining, true); /* before any client can see that it stops */
	stop_listening(server);
	live_end_all(server);
	exchange_wait_for_all(server);
	work_queue_close(server->queue);
	worker_join_all(server);
	exchange_abandon_all(server);
	MHD_stop_daemon(server->daemon);
	server->daemon = NULL;
	server->listen_fd = -1; /* it closed it */
}

void http_server_stop(struct http_server *server)
{
	if (!server)
		return;
	stop_daemon(server);
	tls_certificate_close(server->certificate);
	work_queue_close(server->queue);
	if (server->workers)
		worker_join_all(server);
	disk_stop(server);
	watch_stop(server);
	if (server->listen_fd >= 0)
		close(server->listen_fd);
	if (server->has_port_file)
		unlink(server->options.port_file);
	work_queue_free(server->queue);
	pthread_cond_destroy(&server->changed);
	pthread_cond_destroy(&server->watch_wakes);
	pthread_mutex_destroy(&server->lock);
	pthread_mutex_destroy(&server->connection_lock);
}

void http_server_metrics(struct http_server *server, struct buf *text)
{
	http_metrics_write(server, text);
	if (server->options.hooks.metrics)
		server->options.hooks.metrics(server->options.app, text);
}
