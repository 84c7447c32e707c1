#ifndef LISTENERS_H
#define LISTENERS_H

#include "db.h"
#include "reply.h"
#include "run_store.h"

/*
 * Who listens to runs. One thread with a connection of its own looks what is new in the runs that
 * somebody listens to, each second and whenever this server's flushers tell of something, and sends
 * it. What other servers store is seen the same way. A listener that reads too slowly is dropped.
 */
struct listeners;
struct ingest;
struct metric_cache;

struct listeners_options {
	struct db_options database;
	struct ingest *ingest; /* lends codecs and names of keys */
};

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners) __attribute__((warn_unused_result));
void listeners_stop(struct listeners *listeners);

/* Something of the run was stored; from any thread. */
void listeners_wake(struct listeners *listeners, int64_t run_id);

enum listener_stream {
	LISTEN_HISTORY = 1 << 0,
	LISTEN_EVENTS = 1 << 1,
	LISTEN_CONSOLE = 1 << 2,
	LISTEN_STATE = 1 << 3,
	LISTEN_WRITER = 1 << 4,
	LISTEN_ALL = (1 << 5) - 1,
};

/* What a listener has got: an event's id is these four. */
struct listener_place {
	int64_t row;
	int64_t event;
	int64_t seq;   /* of the last block of the tail that was looked at */
	int32_t state; /* number of the last change of state */
};

/* "12.3.40.2" */
void listener_place_write(const struct listener_place *place, char text[static 96]);
bool listener_place_read(struct str text, struct listener_place *ret_place);

struct listener_ask {
	int64_t run_id;
	int64_t project_id;
	int64_t limit_us;
	unsigned streams;
	bool resumed;
	struct listener_place place; /* where to go on */
};

/* The request's answer becomes the stream. */
void listeners_add(struct listeners *listeners, struct request *q, const struct listener_ask *ask);

#endif
