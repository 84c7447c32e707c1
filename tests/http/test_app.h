#ifndef TEST_APP_H
#define TEST_APP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "http_server.h"
#include "queue.h"
#include "reply.h"

/* What the handlers of the test server share. */
struct app {
	struct http_server *server;
	struct queue *flush_queue; /* detached requests */
	pthread_t flusher;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gate_is_open;        /* /wait and detached requests pass */
	unsigned waiting;         /* requests at the gate */
	_Atomic unsigned handled; /* requests whose handler succeeded */
	_Atomic unsigned gone;    /* listeners that have ended */
	struct listener *listeners;
};

struct listener {
	struct listener *next;
	struct reply_live *live;
};

extern const struct route test_routes[];
extern const size_t test_route_count;

void app_init(struct app *app);
void app_wait_at_gate(struct app *app);
void app_set_gate(struct app *app, bool is_open);
/* After the server has stopped. */
void app_end_listeners(struct app *app);

/* Who sends "X-Stranger: good" or "bad" is not known until a worker has looked. */
bool app_knows(struct request *q);
err_t app_verify(struct request *q);

/* A thread that completes what handlers detached, as a combining writer does. */
void flusher_start(struct app *app);
void flusher_stop(struct app *app);

#endif
