#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>

#include "body.h"
#include "headers.h"
#include "http_server.h"
#include "memory.h"
#include "reply_parts.h"
#include "request.h"
#include "shares.h"
#include "upload.h"
#include "work_queue.h"

/*
 * The state of a request in http/ beyond struct request, and the server it runs in. Only this
 * folder includes this file.
 *
 * An exchange has up to three owners: the connection it came on, the thread that works on it, and
 * the sender of its events. The last one frees it, so a client that hangs up in the middle takes
 * nothing away from a worker, a flusher or a sender.
 *
 *   HEAD ─(CHECK)─> BODY ──> WORK ──────────> ANSWER ──> (reply sent, or the client is gone)
 *     └─ refused ─> (rest of the body is dropped) ──^
 *
 * PARKED: the connection is suspended and nothing of it moves. The thread that changes `parked`
 * from true to false, and only that one, resumes it.
 */
enum exchange_phase {
	PHASE_HEAD,   /* the request line is in */
	PHASE_CHECK,  /* a worker authenticates the client before a large body */
	PHASE_BODY,   /* route found, body coming */
	PHASE_WORK,   /* a worker has it, or will */
	PHASE_ANSWER, /* the reply is known */
};

/* Next to the target, which is kept as it came. */
struct request_line {
	const char *method;
	const char *version;
};

struct http_exchange {
	struct request q; /* first: an answer is found from its request */
	struct http_server *server;
	void *connection; /* the library's */
	struct http_connection *link;
	struct http_exchange *next; /* of server->exchanges */
	struct http_exchange *previous;

	enum exchange_phase phase;
	_Atomic int owners;
	_Atomic bool parked;
	_Atomic bool answered;
	_Atomic bool abandoned; /* the server stops without its answer */
	bool refused;           /* before the body was in; the rest of it is dropped */
	bool is_misframed;      /* the end of the body is not known */
	bool is_head;
	bool is_proxied;   /* by a trusted proxy */
	bool is_link;      /* the path is that of a link: pages of any origin may use it */
	bool is_for_pages; /* pages of this server's origin may request it */
	bool listed;
	bool is_sorted;  /* route->reads() was asked, */
	bool only_reads; /* and this is its result */

	const char *line_at; /* in the library's memory: where the next line of the head begins */
	const char *body_at; /* where the body begins */
	struct str target;   /* raw, as it came */
	struct str query;    /* raw */
	struct headers headers;
	struct str prefix; /* before the path, as the client sees it */
	int64_t length;    /* Content-Length; -1: none */
	bool chunked;
	bool expects_continue;
	struct body body;
	struct upload upload;                /* instead, where the route has ROUTE_UPLOAD */
	struct arena_mark taken;             /* all memory of the request is after it */
	struct buf kept;                     /* the answer's body, when that was released */
	struct share_owner *reading_address; /* with requests that only read */
	struct share_owner *reading_user;
	struct str user;           /* in the log; .at NULL: hooks.who() knows it */
	size_t dropped_bytes;      /* of a body that was refused */
	struct memory_share share; /* of all memory of this request */
	struct reply reply;
	struct reply_live *live;
};

/* A client's connection, watched for slow clients. */
enum client_duty {
	CLIENT_WAITS,    /* for us: the delay is ours */
	CLIENT_SENDS,    /* a request is due */
	CLIENT_RECEIVES, /* an answer is there for it */
};

struct http_connection {
	struct http_connection *next;
	struct http_connection *previous;
	int fd;
	struct share_owner *address; /* NULL: a trusted proxy's, or not known */
	bool is_over;                /* the address has too many: its requests are refused */
	_Atomic int duty;
	_Atomic int64_t since_us;            /* monotonic: since when it has this duty */
	_Atomic int64_t period_us;           /* monotonic: the begin of the measured period */
	_Atomic int64_t moved;               /* bytes in it */
	_Atomic bool is_by_kernel;           /* the kernel sends a file: `moved` is not counted */
	_Atomic int64_t acknowledged;        /* of all bytes of the connection, when that began */
	_Atomic int64_t period_acknowledged; /* when the period began */
};

struct http_server {
	struct http_options options;
	struct arena *arena;
	void *daemon; /* the library's */
	int listen_fd;
	unsigned port;
	const struct proxy_list *trusted;
	struct tls_certificate *certificate; /* NULL: no TLS */
	struct work_queue *queue;            /* struct http_exchange */
	struct disk *disk;                   /* threads that may wait for it */
	struct worker *workers;
	unsigned workers_up;
	struct http_metrics *metrics;
	struct route_table *routes;
	struct static_files *files;
	_Atomic bool draining; /* answers close their connections */
	pthread_t watch;
	bool is_watching;
	bool has_port_file;

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	bool stopping; /* nothing is parked any more */
	struct http_exchange *exchanges;
	size_t active;
	struct reply_live *lives;
	_Atomic size_t live_count; /* changed under the lock */
	bool quit_watch;
	pthread_cond_t watch_wakes; /* for the watch thread only */

	struct shares *connection_shares; /* of addresses */
	struct shares *read_shares;       /* of addresses and of users */
	_Atomic int64_t share_warning_us; /* not before then again */

	pthread_mutex_t connection_lock; /* of these; a lock of its own, taken inside the library */
	struct http_connection *connections;
	size_t connection_count;
};

/* The request line is in; `target` is NULL if it was not valid. */
struct http_exchange *exchange_new(struct http_server *server, const char *target);
/*
 * The head is in, its lines in ex->headers: method, route, limits. An error becomes the answer
 * (ex->refused). With PHASE_CHECK a worker has to look first: the caller parks the connection,
 * calls exchange_queue(), and goes on where it was when it is resumed.
 */
void exchange_take_head(struct http_exchange *ex, const struct request_line *line, struct str peer);
/* From a worker: the result of PHASE_CHECK. Gives up one ownership. */
void exchange_checked(struct http_exchange *ex, err_t e);
/* A piece of the body; false if the client does not stop sending a refused body. */
bool exchange_take_body(struct http_exchange *ex, struct str piece);
/*
 * The body is complete. True: it is answered already. False: a worker has to handle it, and the
 * caller parks the connection and calls exchange_queue().
 */
bool exchange_take_end(struct http_exchange *ex);
void exchange_queue(struct http_exchange *ex);
/*
 * From a worker reserved for writes: the request only reads and continues in the other class, or is
 * refused if that is full. Takes the caller's ownership.
 */
void exchange_queue_read(struct http_exchange *ex);

/*
 * A disk thread has to take the gathered bytes; the caller parks the
 * connection and calls disk_queue().
 */
bool exchange_wants_disk(const struct http_exchange *ex);

/* The rest of a refused body is not worth reading: answer at once and close. */
bool exchange_answers_early(const struct http_exchange *ex);

/*
 * From any thread: the handler is done, with the result e. Writes the log
 * line of an internal error.
 */
void exchange_finish(struct http_exchange *ex, err_t e);
/* After enter: ERR_BUSY if the user has too many requests that read. */
err_t exchange_count_user(struct http_exchange *ex);
/* ERR_BUSY if the answer, which is ready, does not fit in the server's memory. */
err_t exchange_check_answer(struct http_exchange *ex);
/* From any thread: sends the answer that exchange_finish() left. Gives up one ownership. */
void exchange_answer(struct http_exchange *ex);
void exchange_release(struct http_exchange *ex);

/* From any thread that has the connection's part parked: answers with the error. */
void exchange_refuse(struct http_exchange *ex, err_t e);
/*
 * Likewise; and the connection is closed after the answer, for the start
 * of the next request is not known.
 */
void exchange_refuse_framing(struct http_exchange *ex, const char *detail);

/* In http_server.c: suspends (false: the server stops) and resumes the connection. */
bool exchange_park(struct http_exchange *ex);
void exchange_wake(struct http_exchange *ex);

/*
 * Waits until every request in progress has been answered and its answer sent, or the time is over.
 */
void exchange_wait_for_all(struct http_server *server);
/* Wakes all connections; none sleeps after this. */
void exchange_abandon_all(struct http_server *server);

/* Ends an answer: it is counted and logged, and listeners are ended. */
void exchange_close(struct http_exchange *ex, bool complete);

#endif
