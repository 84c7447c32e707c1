#ifndef LISTENER_LIST_H
#define LISTENER_LIST_H

#include <pthread.h>

#include "listener_line.h"
#include "listener_send.h"
#include "project_follow.h"

/* What a listener to a project was told, and what it follows there. */
struct watcher {
	struct str
		project; /* "ann/p", where the connection is of others, too; .at NULL: it is not */
	bool resumed;
	struct watch_place place;
	struct follow_list follows;
	enum visibility visibility; /* of the project: what it could see when it was asked last */
	bool sees_private;
	bool must_reset; /* it can see more, or less, than it could */
};

/*
 * Listeners by what they listen to, a run or a project. Any thread adds one or tells that a run has news; one thread waits for news, takes
 * what there is to do, and alone takes listeners out. A listener's members but `next` are that
 * thread's, once it was added.
 */
struct listener {
	struct listener *next;   /* of the same key */
	int64_t key;             /* a run's number, or a project's with a minus */
	struct watcher *watcher; /* of a project; NULL: of a run */
	struct listener_line *line;
	const struct request *asked; /* who listens; there until the line is left */
	struct listener_ask ask;     /* with the place up to which all was sent */
	struct listener_seen seen;
	bool is_open;           /* its first event was sent */
	bool must_wait;         /* much waits, for it or for all: nothing is sent now */
	int64_t full_since_us;  /* much waits for it; 0: no */
	int64_t not_before_us;  /* what it needs could not be read: tried again then */
	unsigned failure_count; /* in a row */
};

enum { LISTENED_PLACES = 256 };

struct listener_list {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct listened *places[LISTENED_PLACES]; /* by hash of the key */
	size_t count;
	size_t limit;
	bool news;
	bool stop;
};

/* Listeners of one key, newest first. */
struct listener_group {
	int64_t key;
	struct listener **items;
	size_t count;
};

void listener_list_init(struct listener_list *list, size_t limit);
void listener_list_deinit(struct listener_list *list);

/* Places for so many more, which add fills; false: there are as many as may be. */
bool listener_list_reserve(struct listener_list *list, size_t count);
void listener_list_add(struct listener_list *list, struct listener *l);

/* There may be something to send to those who listen to it. */
void listener_list_tell(struct listener_list *list, int64_t key);
void listener_list_tell_all(struct listener_list *list);
void listener_list_stop(struct listener_list *list);
/* Until there are news, or until then (monotonic); false: stop. */
bool listener_list_wait(struct listener_list *list, int64_t until_us);

/* Groups in the arena, of those told of and of all runs or projects; these count as told no more. */
enum listener_take { TAKE_TOLD = 0, TAKE_RUNS = 1 << 0, TAKE_PROJECTS = 1 << 1 };
size_t listener_list_take(struct listener_list *list, struct arena *a, unsigned also,
			  struct listener_group **ret_groups);
/* Out of the list; its stream ends when what waits is sent. */
void listener_list_remove(struct listener_list *list, struct listener *l);

#endif
