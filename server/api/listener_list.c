#include "listener_list.h"

#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "clock.h"

struct listened_run {
	struct listened_run *next; /* in its place */
	int64_t run_id;
	bool is_told;
	struct listener *first;
};

/* ---- start and stop ------------------------------------------------------------------------------ */

void listener_list_init(struct listener_list *list, size_t limit)
{
	pthread_condattr_t attr;

	*list = (struct listener_list){ .limit = limit };
	pthread_mutex_init(&list->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&list->wake, &attr);
	pthread_condattr_destroy(&attr);
}

static void free_listener(struct listener *l)
{
	reply_live_end(l->live);
	free(l->seen.states);
	free(l);
}

static void free_run(struct listened_run *run)
{
	while (run->first) {
		struct listener *l = run->first;

		run->first = l->next;
		free_listener(l);
	}
	free(run);
}

void listener_list_deinit(struct listener_list *list)
{
	for (size_t i = 0; i < RUN_PLACES; i++) {
		while (list->runs[i]) {
			struct listened_run *run = list->runs[i];

			list->runs[i] = run->next;
			free_run(run);
		}
	}
	pthread_cond_destroy(&list->wake);
	pthread_mutex_destroy(&list->lock);
}

/* ---- finding ------------------------------------------------------------------------------------- */

/* Numbers of runs count up in their low bits and stand for times in the high ones. */
static struct listened_run **place_of(struct listener_list *list, int64_t run_id)
{
	uint64_t hash = (uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15);
	struct listened_run **at = &list->runs[hash >> 56];

	while (*at && (*at)->run_id != run_id)
		at = &(*at)->next;
	return at;
}

static struct listened_run *make_run(struct listener_list *list, int64_t run_id)
{
	struct listened_run **at = place_of(list, run_id);
	struct listened_run *run = *at;

	if (run)
		return run;
	run = calloc(1, sizeof(*run));
	if (!run)
		abort();
	run->run_id = run_id;
	*at = run;
	return run;
}

/* ---- any thread ---------------------------------------------------------------------------------- */

bool listener_list_reserve(struct listener_list *list)
{
	bool fits;

	pthread_mutex_lock(&list->lock);
	fits = list->count < list->limit;
	list->count += fits;
	pthread_mutex_unlock(&list->lock);
	return fits;
}

static void note_news(struct listener_list *list, struct listened_run *run)
{
	run->is_told = true;
	list->news = true;
	pthread_cond_signal(&list->wake);
}

void listener_list_add(struct listener_list *list, struct listener *l)
{
	struct listened_run *run;

	pthread_mutex_lock(&list->lock);
	run = make_run(list, l->ask.run_id);
	l->next = run->first;
	run->first = l;
	note_news(list, run);
	pthread_mutex_unlock(&list->lock);
}

void listener_list_tell(struct listener_list *list, int64_t run_id)
{
	struct listened_run *run;

	pthread_mutex_lock(&list->lock);
	run = *place_of(list, run_id);
	if (run)
		note_news(list, run);
	pthread_mutex_unlock(&list->lock);
}

void listener_list_tell_all(struct listener_list *list)
{
	pthread_mutex_lock(&list->lock);
	for (size_t i = 0; i < RUN_PLACES; i++) {
		for (struct listened_run *run = list->runs[i]; run; run = run->next)
			note_news(list, run);
	}
	pthread_mutex_unlock(&list->lock);
}

void listener_list_stop(struct listener_list *list)
{
	pthread_mutex_lock(&list->lock);
	list->stop = true;
	pthread_cond_broadcast(&list->wake);
	pthread_mutex_unlock(&list->lock);
}

/* ---- the thread that serves ---------------------------------------------------------------------- */

bool listener_list_wait(struct listener_list *list, int64_t until_us)
{
	struct timespec until = { until_us / 1000000, until_us % 1000000 * 1000 };
	bool stop;

	pthread_mutex_lock(&list->lock);
	while (!list->news && !list->stop) {
		if (pthread_cond_timedwait(&list->wake, &list->lock, &until))
			break;
	}
	list->news = false;
	stop = list->stop;
	pthread_mutex_unlock(&list->lock);
	return !stop;
}

static struct listener_group group_of(struct arena *a, const struct listened_run *run)
{
	struct listener_group group = { .run_id = run->run_id };

	for (struct listener *l = run->first; l; l = l->next)
		group.count++;
	group.items = arena_new_array(a, struct listener *, group.count);
	group.count = 0;
	for (struct listener *l = run->first; l; l = l->next)
		group.items[group.count++] = l;
	return group;
}

size_t listener_list_take(struct listener_list *list, struct arena *a, bool all,
			  struct listener_group **ret_groups)
{
	struct listener_group *groups;
	size_t count = 0;

	pthread_mutex_lock(&list->lock);
	groups = arena_new_array(a, struct listener_group, list->count);
	for (size_t i = 0; i < RUN_PLACES; i++) {
		for (struct listened_run *run = list->runs[i]; run; run = run->next) {
			if (!all && !run->is_told)
				continue;
			run->is_told = false;
			groups[count++] = group_of(a, run);
		}
	}
	pthread_mutex_unlock(&list->lock);
	*ret_groups = groups;
	return count;
}

void listener_list_remove(struct listener_list *list, struct listener *l)
{
	struct listened_run **at;
	struct listened_run *run;
	struct listener **of_run;

	pthread_mutex_lock(&list->lock);
	at = place_of(list, l->ask.run_id);
	run = *at;
	for (of_run = &run->first; *of_run != l;)
		of_run = &(*of_run)->next;
	*of_run = l->next;
	list->count--;
	if (!run->first) {
		*at = run->next;
		free(run);
	}
	pthread_mutex_unlock(&list->lock);
	free_listener(l);
}
