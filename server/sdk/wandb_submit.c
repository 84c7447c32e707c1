#include "wandb_submit.h"

#include <pthread.h>

#include "app.h"

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_done;
	err_t e;
};

/* From a flusher's thread. */
static void done(struct ingest_batch *batch, err_t e)
{
	struct waiting *w = batch->owner;

	pthread_mutex_lock(&w->lock);
	w->e = e;
	w->is_done = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void wait(struct waiting *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->is_done)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

err_t wandb_submit(struct request *q, struct ingest_batch *batch)
{
	struct waiting *w = arena_new_of(q->arena, struct waiting);

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	batch->owner = w;
	batch->done = done;
	if (ingest_submit(q->app->ingest, batch))
		wait(w);
	else
		w->e = err_new(q->arena, ERR_BUSY, "too many batches are waiting to be stored");
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	return w->e;
}
