#ifndef LISTENER_LIST_H
#define LISTENER_LIST_H

#include <pthread.h>

#include "listener_send.h"

/*
 * Listeners by run. Any thread adds one or tells that a run has news; one thread waits for news, takes
 * what there is to do, and alone takes listeners out. A listener's members but `next` are that
 * thread's, once it was added.
 */
struct listener {
	struct listener *next; /* of its run */
	struct reply_live *live;
	const struct request *asked; /* who listens; there until `live` is ended */
	struct listener_ask ask;     /* with the place up to which all was sent */
	struct listener_seen seen;
	bool is_open;           /* its first event was sent */
	bool must_wait;         /* much waits, for it or for all: nothing is sent now */
	int64_t full_since_us;  /* much waits for it; 0: no */
	int64_t not_before_us;  /* what it needs could not be read: tried again then */
	unsigned failure_count; /* in a row */
};

enum { RUN_PLACES = 256 };

struct listener_list {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct listened_run *runs[RUN_PLACES]; /* by hash of the number */
	size_t count;
	size_t limit;
	bool news;
	bool stop;
};

/* Listeners of one run, newest first. */
struct listener_group {
	int64_t run_id;
	struct listener **items;
	size_t count;
};

void listener_list_init(struct listener_list *list, size_t limit);
void listener_list_deinit(struct listener_list *list);

/* A place for one more; false: there are as many as may be. It is filled by add, or given back. */
bool listener_list_reserve(struct listener_list *list);
void listener_list_add(struct listener_list *list, struct listener *l);

/* There may be something to send to those who listen to the run. */
void listener_list_tell(struct listener_list *list, int64_t run_id);
void listener_list_tell_all(struct listener_list *list);
void listener_list_stop(struct listener_list *list);
/* Until there are news, or until then (monotonic); false: stop. */
bool listener_list_wait(struct listener_list *list, int64_t until_us);

/* Groups in the arena, of all runs or of those told of; these count as told no more. */
size_t listener_list_take(struct listener_list *list, struct arena *a, bool all,
			  struct listener_group **ret_groups);
/* Out of the list; its stream ends when what waits is sent. */
void listener_list_remove(struct listener_list *list, struct listener *l);

#endif
