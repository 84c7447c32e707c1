#ifndef LISTENERS_H
#define LISTENERS_H

#include "db.h"
#include "listener_place.h"
#include "project_watch.h"
#include "reply.h"

/*
 * Who listens to runs, or to projects. One thread with a connection of its own looks what is new in the runs that
 * somebody listens to: at once in a run that this server's flushers or its neighbours tell of, and in all
 * of them about once a second, which is how silent writers are seen, and what no neighbour could tell. With that it asks again
 * whether each listener may listen still; who may not gets the event `end`, and the stream ends.
 *
 * Nothing is sent to a listener while much waits for it already: it goes on from its place when it has
 * caught up. Who does not for CATCH_UP_US is ended, and may come back with its last id; sooner, when what
 * waits for all of them together is too much and this one's part of it large.
 *
 * A project is looked at once a second, by all its listeners together (project_watch.h): of its runs, of any
 * number, they are told what changed, and of those that they follow that there is something to read.
 */
struct auth;
struct ingest;
struct listeners;

struct listeners_options {
	struct db_options database;
	struct ingest *ingest; /* lends codecs and names of keys */
	struct auth *auth;
	size_t limit;                 /* listeners at the same time; */
	unsigned share;               /* so many percent of them of one address or user */
	struct db_options neighbours; /* a way to other servers; .url NULL: none */
};

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners) __attribute__((warn_unused_result));
void listeners_stop(struct listeners *listeners);

/* Something of the run was stored here; from any thread. */
void listeners_wake(struct listeners *listeners, int64_t run_id);

enum listener_stream {
	LISTEN_HISTORY = 1 << 0,
	LISTEN_EVENTS = 1 << 1,
	LISTEN_CONSOLE = 1 << 2,
	LISTEN_STATE = 1 << 3,
	LISTEN_WRITER = 1 << 4,
	LISTEN_ALERT = 1 << 5,
	LISTEN_ALL = (1 << 6) - 1,
};

struct listener_ask {
	int64_t run_id;
	int64_t limit_us;
	unsigned streams;
	bool resumed;
	struct listener_place place; /* where to go on */
};

/* The request's answer becomes the stream; ERR_BUSY when too many listen. */
err_t listeners_add(struct listeners *listeners, struct request *q, const struct listener_ask *ask)
	__attribute__((warn_unused_result));

/* Who listens to a project. */
enum { WATCH_MAX = 16 /* projects of one stream */ };
struct watcher_ask {
	const struct request *
		asked; /* about this project alone; as long there as the one whose answer is the stream */
	const char *refused; /* the end's reason, of one that may not be seen; NULL: it may */
	struct str project; /* "ann/p", in a stream of several; .at NULL: it is of this one alone */
	unsigned streams;   /* of the runs that are followed */
	const struct str *names;
	size_t count;
	bool resumed;
	struct watch_place place;
};
/* At least one of them may be seen. */
err_t listeners_add_watchers(struct listeners *listeners, struct request *q,
			     const struct watcher_ask *asks, size_t count)
	__attribute__((warn_unused_result));

void listeners_metrics(struct listeners *listeners, struct buf *text);

#endif
