#include "test_app.h"

static void complete(struct app *app, struct request *q)
{
	err_t e = NULL;

	if (request_query(q, "gate").at)
		app_wait_at_gate(app);
	if (request_query(q, "fail").at)
		e = err_new(q->arena, ERR_CONFLICT, "the flusher says no");
	else
		reply_text(q, "text/plain", q->body);
	if (!e)
		atomic_fetch_add(&app->handled, 1);
	request_complete(q, e);
}

static void *run(void *p)
{
	struct app *app = p;
	struct request *q;

	while ((q = queue_pop(app->flush_queue)))
		complete(app, q);
	return NULL;
}

void flusher_start(struct app *app)
{
	app->flush_queue = queue_new(100000);
	pthread_create(&app->flusher, NULL, run, app);
}

void flusher_stop(struct app *app)
{
	queue_close(app->flush_queue);
	pthread_join(app->flusher, NULL);
	queue_free(app->flush_queue);
}
