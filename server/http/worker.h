#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "work_queue.h"

struct db;
struct http_exchange;
struct http_options;
struct http_server;
struct request;

/*
 * A worker is one thread, one database connection and one scratch arena. It blocks, so its code is
 * straightforward; there are as many requests in progress as workers.
 */
struct worker {
	struct http_server *server;
	pthread_t thread;
	enum work_taker taker;
	bool is_running;
	struct arena *arena; /* as long as the worker */
	struct arena
		*scratch; /* of one handler or slice; and the connection's arena between requests */
	struct db *db;
	err_t start_error;
	bool is_first; /* of those that take anything */
	bool detached; /* the handler handed its request over: it is not ours any more */
};

/* How many of them take reads: at least one. */
size_t worker_reading_count(const struct http_options *o) __attribute__((nonnull));

/* Starts all; an error of one of them (it lives in `a`) stops the others. */
err_t worker_start_all(struct arena *a, struct http_server *server)
	__attribute__((warn_unused_result));
/* After the queue was closed: they finish the items in it. */
void worker_join_all(struct http_server *server);

/* Empty, and counted nowhere. */
void worker_clear_scratch(struct worker *w);
/* In the handler's thread; see request_detach(). */
void worker_detach(struct worker *w, struct request *q);
/* The connection's results use this arena from now on. */
void worker_use_arena(struct worker *w, struct arena *a);
/* The connection waits no longer than that from now on. */
void worker_set_deadline(struct worker *w, int64_t mono_us);

#endif
