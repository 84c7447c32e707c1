#ifndef LISTENERS_H
#define LISTENERS_H

#include "db.h"
#include "listener_event.h"
#include "project_watch.h"
#include "reply.h"

/*
 * Listeners to runs and to projects. One thread with a connection of its own reads what is new in the runs that have
 * listeners: at once in a run that this server's flushers or its peers report, and in all of them about once a second.
 * This look finds writers that fell silent, and what no peer could report. It also checks again whether each listener
 * still has access. One that has not gets the event `end`, and its stream ends.
 *
 * Nothing is sent to a listener while much waits for it already: it goes on from its cursor when it has caught up. A
 * listener that does not within CATCH_UP_US is ended, and may come back with its last id. It is ended sooner if too
 * much waits for all listeners together and its own part is large.
 *
 * A project is looked at once a second, for all its listeners together (project_watch.h). They are sent what changed in
 * its runs, of any number, and a note when a run that they follow has something new to read.
 */
struct auth;
struct ingest;
struct listeners;

struct listeners_options {
	struct db_options database;
	struct ingest *ingest; /* lends codecs and names of keys */
	struct auth *auth;
	size_t limit;            /* listeners at the same time; */
	unsigned share;          /* the percentage of them that one address or user may have */
	struct db_options peers; /* the connection to them; .url NULL: no peers */
};

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners) __attribute__((warn_unused_result));
void listeners_stop(struct listeners *listeners);

/* Reports that something of the run was stored here. Any thread. */
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
	struct listener_cursor cursor; /* where to go on */
};

/* The answer of the request becomes the stream. ERR_BUSY: too many listeners. */
err_t listeners_add(struct listeners *listeners, struct request *q, const struct listener_ask *ask)
	__attribute__((warn_unused_result));

/* A listener to a project. */
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
	struct watch_cursor cursor;
};
/* At least one of them may be seen. */
err_t listeners_add_watchers(struct listeners *listeners, struct request *q,
			     const struct watcher_ask *asks, size_t count)
	__attribute__((warn_unused_result));

void listeners_metrics(struct listeners *listeners, struct buf *text);

#endif
