/*
 * Cancelling abandoned statements. libpq sends the request over a connection of its own and waits
 * until the server has closed that, so a server that hangs would block the caller. Hence a thread
 * and a short queue: a statement that does not fit in it runs to its end, which costs only the
 * database.
 *
 * The connection is closed after that and not before: a pooler knows a request to cancel by its
 * client, and drops a connection in use without a word to the server when its client has left.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "db_conn.h"
#include "log.h"
#include "queue.h"
#include "thread.h"

enum { CANCELS_WAITING = 256, STOP_WAIT_S = 2 };

struct db_canceller {
	struct queue *queue;
	pthread_t thread;
};

static void cancel_and_close(PGconn *pg)
{
	PGcancel *cancel = PQgetCancel(pg);
	char reason[256];

	if (cancel && !PQcancel(cancel, reason, sizeof(reason)))
		log_warning("cannot cancel a statement", LOG_TEXT("error", reason));
	PQfreeCancel(cancel);
	PQfinish(pg);
}

static void *run(void *p)
{
	struct db_canceller *c = p;
	PGconn *pg;

	while ((pg = queue_pop(c->queue)))
		cancel_and_close(pg);
	return NULL;
}

struct db_canceller *db_canceller_start(void)
{
	struct db_canceller *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->queue = queue_new(CANCELS_WAITING);
	if (!thread_start(&c->thread, "canceller", run, c)) {
		queue_free(c->queue);
		free(c);
		return NULL;
	}
	return c;
}

/* A thread that waits for a hanging server is left until the process ends. */
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

/* Its notices would go to the connection's former user. */
static void ignore_notice(void *context, const PGresult *r)
{
	(void)context;
	(void)r;
}

void db_cancel(struct db_canceller *c, PGconn *pg)
{
	PQsetNoticeReceiver(pg, ignore_notice, NULL);
	if (!c || !queue_push(c->queue, pg))
		PQfinish(pg);
}
