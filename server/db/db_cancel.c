/*
 * Cancelling what was given up. libpq sends the request over a connection of its own and waits until
 * the server has closed that, so a server that stands still would hold up whoever asks. Hence a
 * thread and a short queue: what does not fit runs to its own end, which costs only the database.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "db_conn.h"
#include "log.h"
#include "queue.h"

enum { CANCELS_WAITING = 256, STOP_WAIT_S = 2 };

struct db_canceller {
	struct queue *queue;
	pthread_t thread;
};

static void *run(void *p)
{
	struct db_canceller *c = p;
	PGcancel *cancel;

	while ((cancel = queue_pop(c->queue))) {
		char reason[256];

		if (!PQcancel(cancel, reason, sizeof(reason)))
			log_warning("cannot cancel a statement", LOG_TEXT("error", reason));
		PQfreeCancel(cancel);
	}
	return NULL;
}

struct db_canceller *db_canceller_start(void)
{
	struct db_canceller *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->queue = queue_new(CANCELS_WAITING);
	if (pthread_create(&c->thread, NULL, run, c)) {
		queue_free(c->queue);
		free(c);
		return NULL;
	}
	return c;
}

/* A thread that waits for a server at a standstill is left to the end of the process. */
void db_canceller_stop(struct db_canceller *c)
{
	struct timespec until;

	if (!c)
		return;
	queue_close(c->queue);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_WAIT_S;
	if (pthread_timedjoin_np(c->thread, NULL, &until)) {
		pthread_detach(c->thread);
		return;
	}
	queue_free(c->queue);
	free(c);
}

void db_cancel(struct db_canceller *c, PGconn *pg)
{
	PGcancel *cancel = c ? PQgetCancel(pg) : NULL;

	if (cancel && !queue_push(c->queue, cancel))
		PQfreeCancel(cancel);
}
