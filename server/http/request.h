#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "err.h"
#include "route.h"
#include "str.h"

/*
 * A request owns everything it uses: its arena, its body, its answer, its place in a transaction.
 * Handlers own nothing, so they return early and never clean up.
 *
 *   I/O thread     request made, route found, head checked, body taken (limit, inflate)
 *   worker thread  enter (who is it, may they, begin) -> route->handle -> leave (commit or roll back)
 *   I/O thread     the answer is sent, the request freed
 *
 * A handler may leave the worker before the answer is known: request_detach(), and later, from any
 * thread, request_complete(). A body of unknown length is produced slice by slice by a worker
 * (reply_stream), which no slow client can hold.
 */
struct worker;
struct db;
struct app;
struct upload_sink; /* the target of a body that is not a text: upload.h */
struct identity;    /* the caller: defined by the layer above */
struct target;      /* the request's entity, project and run: likewise */

struct request {
	struct arena *arena;
	const struct route *route;
	struct params params; /* {entity}, decoded */
	enum method method;
	struct str path;           /* decoded, without the prefix */
	struct str body;           /* inflated; 64 readable zero bytes follow it */
	struct upload_sink *sink;  /* with ROUTE_UPLOAD: where it went instead */
	int64_t length;            /* of the body, from the head; -1: unknown */
	void *parsed;              /* of the body, by route->reads() */
	struct str content_type;   /* lower case, without parameters */
	char id[32];               /* request id, in the answer and in the log line */
	struct str client_address; /* behind trusted proxies: the real one */
	struct str host;           /* "cairn.example:8080", as the client calls us; may be empty */
	struct str prefix;         /* "/cairn", for links: the part before `path` outside */
	bool is_https;             /* between the client and us, or our trusted proxy */
	bool is_of_sdk;            /* errors in the form that the wandb SDK shows */
	int64_t started_us;        /* monotonic */
	int64_t deadline_us;       /* monotonic; also the statement_timeout */

	struct worker *worker; /* while a worker has it */
	struct db *db;         /* the worker's connection; see http_hooks.elsewhere */
	struct db *primary;    /* the same, also while `db` is another one */
	struct app *app;
	struct identity *identity; /* set by enter; NULL: not signed in */
	struct target *target;     /* set by enter for routes with {entity} */
	timestamp_us now;    /* the database's clock, set by enter for routes that ask for it */
	int64_t now_mono_us; /* clock_mono_us() when it was read */
	bool is_elsewhere;   /* the answer was begun on another connection, and may go on there */

	struct http_exchange *exchange; /* only for http_server.c */
	struct reply *reply;
};

/* A query parameter, decoded; NULL-str (.at == NULL) when absent. Repeated: the first. */
struct str request_query(const struct request *q, const char *name);
/* Refuses parameters that the route does not know, so that typing errors are seen. */
err_t request_check_query(struct request *q);
err_t request_query_int(struct request *q, const char *name, int64_t min, int64_t max,
			int64_t absent, int64_t *ret_value);
/* "true" or "false"; missing is false. */
err_t request_query_bool(struct request *q, const char *name, bool *ret_value);
/* Seconds since 1970, as microseconds. */
err_t request_query_seconds(struct request *q, const char *name, int64_t absent, int64_t *ret_us);
/*
 * A hash of the query: the path and the parameters, in any order, but for those in the list ("limit
 * cursor"). The same query gives the same number on every server.
 */
uint64_t request_question(const struct request *q, const char *except);
struct str request_header(const struct request *q, const char *name);
/* All lines of a header that is a list, as one; empty when there is none. */
struct str request_header_list(const struct request *q, const char *name);
/*
 * The media type, of a NULL-ended list, that the client prefers by its Accept; the first one if
 * several are equal, if it accepts none, or without an Accept.
 */
size_t request_accepts(const struct request *q, const char *const *types);
/* A path parameter that the route has; asserts that it does. */
struct str request_param(const struct request *q, const char *name);
/*
 * "https://cairn.example:8080/cairn": the base of our addresses for this client, or for all, if
 * public_url is set. Empty if the client does not send how it reaches us.
 */
struct str request_base(const struct request *q);
int64_t request_left_ms(const struct request *q); /* until the deadline, at least 1 */

/* Memory until the handler returns or hands the request over. */
struct arena *request_scratch(const struct request *q);
/*
 * The handler hands the request over and returns NULL: from then on neither it nor its worker
 * touches the request, which has neither q->db nor q->body any more, and the leave hook is not
 * called. Not for routes with ROUTE_TX. Call it before any other thread can see the request.
 */
void request_detach(struct request *q);
/* From any thread: the answer is in q->reply, or it is the error. Wakes the connection. */
void request_complete(struct request *q, err_t e);

#endif
