#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

enum method { GET = 1, POST, PUT, PATCH, DELETE, METHODS };

/* The access that a route needs. Only the enter hook checks it. */
enum access {
	ACCESS_OPEN,   /* anyone */
	ACCESS_SIGNED, /* any valid key */
	ACCESS_SELF,   /* signed in, or a valid key with all rights: for their own data */
	ACCESS_ASKED,  /* anyone; the handler checks access to each object with auth_ask() */
	ACCESS_READ,   /* may see the project or run in the path: viewer and up, or it is public */
	ACCESS_WRITE,  /* member and up */
	ACCESS_ADMIN,  /* admin of the entity */
	ACCESS_SERVER, /* admin of the server */
};

enum route_flags {
	ROUTE_TX = 1 << 0,        /* enter begins a transaction, leave commits it */
	ROUTE_INLINE = 1 << 1,    /* answered on the I/O thread: must not block */
	ROUTE_MAKES = 1 << 2,     /* the project or run in the path may not exist yet */
	ROUTE_NOW = 1 << 3,       /* enter reads the database's clock into q->now */
	ROUTE_LINES = 1 << 4,     /* the body may be lines of JSON, too (application/x-ndjson) */
	ROUTE_DELETED = 1 << 5,   /* the object at the end of the path may be deleted */
	ROUTE_REPLICA = 1 << 6,   /* may read from a replica, a little behind */
	ROUTE_WANDB = 1 << 7,     /* of the wandb SDK: errors in its form, any parameters */
	ROUTE_ANY_QUERY = 1 << 8, /* a page: parameters that others add are ignored */
	ROUTE_UPLOAD = 1 << 9,    /* the body goes into q->sink, piece by piece; see `begin` */
	ROUTE_PAGES = 1 << 10,    /* pages of this server's own origin may call it */
	ROUTE_LINK = 1 << 11,     /* pages of any origin may: the path itself grants access */
	ROUTE_ANY_BODY = 1 << 12, /* an undecodable body comes as far as possible, or as it is */
	ROUTE_QUIET = 1 << 13,    /* polled every few seconds: an answer 200 is logged at debug */
};

enum { ROUTE_MAX_PARAMS = 6 };
struct params {
	struct {
		struct str name;
		struct str value; /* decoded once, per segment: "a%2Fb" is one value "a/b" */
	} at[ROUTE_MAX_PARAMS];
	size_t count;
};

struct request;
typedef err_t handler_fn(struct request *q);

struct route {
	enum method method;
	const char *
		path; /* "/api/v1/projects/{entity}/{project}"; "{name...}" at its end: all that follows */
	handler_fn *handle;
	enum access access;
	unsigned flags;
	size_t max_body;   /* bytes after inflation; 0: a body is refused */
	const char *query; /* the parameters it knows, "limit cursor"; any other is refused */
	/*
	 * With ROUTE_UPLOAD: before any of the body is read, on a worker, after enter. It sets
	 * q->sink; an error is the answer.
	 */
	handler_fn *begin;
	/*
	 * Set if only the body shows whether a request writes; NULL: method and access decide.
	 * Called on a worker before enter, so the caller is not known yet; it does a bounded piece
	 * of work, does not use the database, and keeps what it has read in q->parsed. True: the
	 * request goes on as one that reads.
	 */
	bool (*reads)(struct request *q);
};

/* The table with its paths split into segments once: every request uses it. Lives in the arena. */
struct route_table;
struct route_table *route_table_new(struct arena *a, const struct route *routes, size_t count);

/* All routes of a path, whatever the method: for 405 and OPTIONS. */
struct route_options {
	unsigned methods; /* a bit each */
	unsigned flags;   /* of all of them */
};

/*
 * The route for a raw (still encoded) path, its parameters decoded into
 * the arena; NULL when none matches. HEAD is looked up as GET. Literal
 * segments win over parameters by coming earlier in the table.
 */
const struct route *route_find(const struct route_table *table, enum method method,
			       struct str raw_path, struct arena *a, struct params *ret_params,
			       struct route_options *ret_options);
/* Its path ends with a parameter for all that follows. */
bool route_has_rest(const struct route *route);

#endif
