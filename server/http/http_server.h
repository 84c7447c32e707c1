#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "err.h"
#include "memory.h"
#include "request.h"
#include "route.h"
#include "tls_certificate.h"

struct http_server;

/* Callbacks of the layers above for the HTTP layer, which knows neither SQL nor runs. */
struct http_hooks {
	/* A worker thread starts and ends: opens and closes its connection. */
	err_t (*worker_start)(struct app *app, struct arena *a, struct db **ret_db);
	void (*worker_stop)(struct app *app, struct db *db);
	/* After a request, in the first workers before the server listens, too; may be NULL. */
	void (*worker_rest)(struct db *db);
	/* The connection's arena is the request's (or a slice's) from now on. */
	void (*use_arena)(struct db *db, struct arena *a);
	/* Later calls on the connection must be done by then (monotonic time). */
	void (*set_deadline)(struct db *db, int64_t mono_us);
	/*
	 * The head is in, the body is not: a cheap check on an I/O thread, to refuse at once a
	 * request that would be refused anyway. Must not block. May be NULL.
	 */
	err_t (*head)(struct request *q);
	/*
	 * On an I/O thread, too: whether the client is authenticated already. If not, and the body
	 * is larger than 64 KiB or of unknown size, a worker calls verify() before any of it is
	 * read; its error is the answer. knows() must not block; both may be NULL.
	 */
	bool (*knows)(struct request *q);
	err_t (*verify)(struct request *q);
	/*
	 * Before the handler: authentication, access, transaction. After it, also on an error (even
	 * of enter itself): commit or roll back. Neither is called for ROUTE_INLINE.
	 */
	err_t (*enter)(struct request *q);
	err_t (*leave)(struct request *q, err_t e);
	/*
	 * For each handler of a route with ROUTE_REPLICA, and each slice it streams: a connection
	 * that may answer instead of q->db; NULL: none. An error there is not the answer: the
	 * handler runs again on q->db, and failed_elsewhere() is called. May be NULL, both or none.
	 */
	struct db *(*elsewhere)(struct request *q);
	void (*failed_elsewhere)(struct request *q, err_t e);
	/*
	 * Before each slice of a stream but the first: whether the client still has access. Its
	 * memory is from `a`. May be NULL.
	 */
	err_t (*still)(const struct request *q, struct arena *a, struct db *db);
	/* The user's name for the log line; q->identity is set or NULL. May be NULL. */
	struct str (*who)(const struct request *q);
	/* Adds the layers' own lines to /metrics (Prometheus text); may be NULL. */
	void (*metrics)(struct app *app, struct buf *text);
};

struct http_options {
	const char *listen;        /* "127.0.0.1:8080", "[::1]:0", ":8080" */
	const char *port_file;     /* the bound port is written here; NULL: nowhere */
	const char *tls_cert_file; /* PEM; both or none */
	const char *tls_key_file;
	const char *path_prefix;     /* "/cairn"; "" for none */
	const char *trusted_proxies; /* "127.0.0.1,10.0.0.0/8": their X-Forwarded-* are believed */
	const char *cors_origins;    /* "" : CORS is off */
	unsigned io_threads;
	unsigned workers;
	unsigned write_workers; /* of them, those reserved for writes */
	unsigned queue_limit;   /* waiting for a worker, of each kind; more: 503 with Retry-After */
	unsigned connection_limit;
	unsigned
		client_share; /* percent of these that one address, or one user's reads, may have */
	size_t max_body;      /* bytes after inflation, whatever a route allows */
	size_t max_upload;    /* of a body that goes to the disk */
	unsigned disk_threads; /* that write those, and read files that are sent */
	const char
		*public_url; /* "https://host/prefix" as clients write it; "": by their requests */
	struct memory *memory; /* of the whole server; without room: 503 */
	int hsts_s;            /* the time browsers keep to https; 0: no such header */
	int deadline_ms;
	int idle_timeout_s;          /* of a connection */
	int body_timeout_s;          /* a request, from its first byte to its last */
	int64_t slowest_bytes_per_s; /* of a client, over twice the idle time */
	int drain_timeout_s;         /* graceful stop: how long answers may take */
	const struct route *routes;
	size_t route_count;
	const struct static_source *files; /* of the web page: static_files.h */
	size_t file_count;
	const char *web_dir; /* read them from there instead; NULL: not */
	struct app *app;
	struct http_hooks hooks;
};

/* Binds, starts I/O and worker threads. */
err_t http_server_start(struct arena *a, const struct http_options *options,
			struct http_server **ret_server);
unsigned http_server_port(const struct http_server *server);
/*
 * Reads the files of the TLS certificate again, now or if they have changed; see tls_certificate.h.
 * Call it from one thread, every few seconds.
 */
void http_server_refresh(struct http_server *server, enum tls_refresh when);
/* The server that a request came to. */
struct http_server *http_server_of(const struct request *q);
/* Whether the address is that of a trusted proxy, so of many clients. */
bool http_server_trusts(const struct request *q, struct str address);
/*
 * Stops gracefully: no new connections, requests in progress are answered, those in the queue too,
 * live ones are closed; then stops. Acknowledged data is not lost.
 */
void http_server_stop(struct http_server *server);
/* Prometheus text: requests by route, method and status, seconds, queue, bytes, then the hook's. */
void http_server_metrics(struct http_server *server, struct buf *text);

#endif
