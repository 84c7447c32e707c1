#ifndef AUTH_H
#define AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "buf.h"
#include "entity.h"
#include "err.h"
#include "key.h"
#include "request.h"
#include "session.h"

/*
 * The one place that knows who asks, what about, and whether they may.
 *
 *   identify   Bearer KEY, or Basic api:KEY       -> q->identity    none or bad: 401
 *              else the cookie of a session (auth_session.c)
 *   resolve    {entity}/{project}/{run}           -> q->target      not there, or not theirs: 404
 *   check      route->access against the right    -> visible, but more than they may: 403
 *   begin      ROUTE_TX, ROUTE_NOW                -> transaction, q->now
 *
 * Both look-ups are kept in memory for AUTH_TTL_US: a revoked key, a lost role and a changed
 * visibility work at most that much longer, on this server and on others. A server that changed
 * something itself forgets at once (auth_forget). What is not there is never kept, so making
 * something needs no forgetting.
 */
enum { AUTH_TTL_US = 1000 * 1000 };

struct identity {
	int64_t user_id;
	struct str name;
	int64_t key_id;     /* 0: signed in with a password */
	struct str session; /* as lists of sessions name it; empty: a key was sent */
	enum key_scope scope;
	bool is_admin;   /* of the server, and the key's scope allows it */
	bool is_service; /* the user */
	int64_t default_entity_id;
};

/* Strings live in the request's arena, NUL-ended. */
struct target {
	int64_t entity_id;
	struct str entity;
	enum entity_kind entity_kind;
	int64_t project_id; /* 0: the route has none, or it does not exist yet (ROUTE_MAKES) */
	struct str project;
	enum visibility visibility; /* of the project */
	int64_t crash_after_us;
	int64_t run_id; /* 0: the route has none, or it does not exist yet (ROUTE_MAKES) */
	struct str run; /* its id within the project, as in the path */
	enum visibility run_visibility;
	enum entity_role role;   /* of the caller in the entity */
	enum access_right right; /* what the caller may do with it */
	bool sees_private;       /* lists show private things too */
	bool forget;             /* see auth_forget() */
	const struct run *
		ended; /* the run, when the request found or made it ended and its tail holds something */
	int64_t resized; /* the run whose size has to be measured again; 0: none */
};

struct auth;

/* The secret must live as long; `auth` serves all threads. */
struct auth *auth_new(const struct key_secret *secret, const struct session_limits *limits);
void auth_free(struct auth *auth);

/* Hooks of http_server.h. The struct auth is q->app->auth. */
/* On an I/O thread, before the body is taken: a request that needs a key and has none ends here. */
err_t auth_head(struct request *q);
/* Whether the key worked a moment ago, from memory; and, on a worker, whether it works. */
bool auth_knows(struct request *q);
err_t auth_verify(struct request *q);
err_t auth_enter(struct request *q);
err_t auth_leave(struct request *q, err_t e);
/*
 * The target of a request whose path does not name it. It is resolved and checked as the path of a route would
 * be, and is q->target afterwards. An empty name is not resolved. With ROUTE_MAKES among the flags a project or
 * run that does not exist is no error.
 */
struct auth_ask {
	enum access access; /* ACCESS_READ, ACCESS_WRITE or ACCESS_ADMIN */
	unsigned flags;     /* ROUTE_MAKES, ROUTE_DELETED */
	struct str entity;
	struct str project;
	struct str run;
};
err_t auth_ask(struct request *q, const struct auth_ask *ask) __attribute__((warn_unused_result));
/*
 * For answers that go on: whether whoever asked would be answered now, by what is known of them now.
 * From any thread that keeps the request alive; all memory is `a`'s, which is the connection's too.
 */
err_t auth_still(const struct request *asked, struct arena *a, struct db *db)
	__attribute__((warn_unused_result));
/* The same, and what is known of the target now, in `a`. */
err_t auth_still_target(const struct request *asked, struct arena *a, struct db *db,
			const struct target **ret_target) __attribute__((warn_unused_result));
/* The name for the log; empty: nobody. */
struct str auth_who(const struct request *q);

/*
 * For whom the request makes something in the entity of its path: the caller, or, when that is a service
 * account, the other member of that team whom the header X-WANDB-USERNAME names. What may be done goes by
 * the caller alone: nobody is believed to be somebody else.
 */
err_t auth_attributed_user(struct request *q, int64_t *ret_user_id)
	__attribute__((warn_unused_result));

/* ERR_FORBIDDEN when the user may not change the visibility from `before` to `after`. */
err_t auth_may_show(struct request *q, enum visibility before, enum visibility after)
	__attribute__((warn_unused_result));

/*
 * The request changes what was looked up (deletes a run, changes a visibility): forgotten when its
 * transaction has been committed, so that the next request sees it.
 */
void auth_forget(struct request *q);

/* The same at once, for changes outside a request's transaction. */
void auth_forget_all(struct auth *auth);

/* Prometheus text: hits and misses of the two look-ups. */
void auth_metrics(struct auth *auth, struct buf *text);

#endif
