#include "aside.h"

#include <stdlib.h>
#include <unistd.h>

#include "thread.h"

enum { ASIDE_THREADS = 2 };

struct aside {
	pthread_mutex_t lock;
	pthread_cond_t given;
	pthread_cond_t done;
	struct aside_job *first; /* that wait, the newest first */
	bool is_ending;
	bool has_begun;
	unsigned given_count; /* until their givers have waited for them */
	unsigned given_max;   /* each uses its giver's processor and another one */
	unsigned count;
	pthread_t threads[ASIDE_THREADS];
};

struct aside *aside_new(void)
{
	struct aside *aside = calloc(1, sizeof(*aside));
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!aside)
		abort();
	pthread_mutex_init(&aside->lock, NULL);
	pthread_cond_init(&aside->given, NULL);
	pthread_cond_init(&aside->done, NULL);
	aside->given_max = processors > 2 ? (unsigned)processors / 2 : 1;
	return aside;
}

void aside_free(struct aside *aside)
{
	if (!aside)
		return;
	pthread_mutex_lock(&aside->lock);
	aside->is_ending = true;
	pthread_cond_broadcast(&aside->given);
	pthread_mutex_unlock(&aside->lock);
	for (unsigned i = 0; i < aside->count; i++)
		pthread_join(aside->threads[i], NULL);
	pthread_cond_destroy(&aside->given);
	pthread_cond_destroy(&aside->done);
	pthread_mutex_destroy(&aside->lock);
	free(aside);
}

/* With the lock, which is given up meanwhile. */
static void do_job(struct aside *aside, struct aside_job *job)
{
	job->state = ASIDE_TAKEN;
	pthread_mutex_unlock(&aside->lock);
	job->work(job->what);
	pthread_mutex_lock(&aside->lock);
	job->state = ASIDE_DONE;
}

static void *run(void *p)
{
	struct aside *aside = p;

	pthread_mutex_lock(&aside->lock);
	while (!aside->is_ending) {
		struct aside_job *job = aside->first;

		if (!job) {
			pthread_cond_wait(&aside->given, &aside->lock);
			continue;
		}
		aside->first = job->next;
		do_job(aside, job);
		pthread_cond_broadcast(&aside->done);
	}
	pthread_mutex_unlock(&aside->lock);
	return NULL;
}

/* Without threads the givers do all of it. */
static void begin(struct aside *aside)
{
	aside->has_begun = true;
	while (aside->count < ASIDE_THREADS &&
	       thread_start(&aside->threads[aside->count], "sums", run, aside))
		aside->count++;
}

void aside_give(struct aside *aside, struct aside_job *job)
{
	pthread_mutex_lock(&aside->lock);
	if (!aside->has_begun)
		begin(aside);
	job->is_kept = aside->given_count == aside->given_max;
	if (!job->is_kept) {
		aside->given_count++;
		job->state = ASIDE_WAITS;
		job->next = aside->first;
		aside->first = job;
		pthread_cond_signal(&aside->given);
	}
	pthread_mutex_unlock(&aside->lock);
}

static void take_back(struct aside *aside, const struct aside_job *job)
{
	struct aside_job **at = &aside->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
}

void aside_wait(struct aside *aside, struct aside_job *job)
{
	if (job->is_kept) {
		job->work(job->what);
		return;
	}
	pthread_mutex_lock(&aside->lock);
	if (job->state == ASIDE_WAITS) {
		take_back(aside, job);
		do_job(aside, job);
	}
	while (job->state != ASIDE_DONE)
		pthread_cond_wait(&aside->done, &aside->lock);
	aside->given_count--;
	pthread_mutex_unlock(&aside->lock);
}
