#ifndef LISTENER_LIST_H
#define LISTENER_LIST_H

#include <pthread.h>

#include "listener_send.h"
#include "project_follow.h"
#include "reply.h"

/*
 * The connection of a listener, or of several: a stream of several projects has a listener for each of them. Before an
 * event of another project than the last one's, an event `project` names it. When the connection was handed on, it
 * belongs to the thread that sends. It is freed when its last listener leaves it.
 */
struct listener_connection;

/* The shares of an address and of a user, which the connection gives back at its end. */
struct listener_shares {
	struct shares *shares;
	struct share_owner *owners[2]; /* NULL: not known */
};

/* owners: the number of listeners, at least one. */
struct listener_connection *listener_connection_new(struct request *q, size_t owners,
						    const struct listener_shares *shares);
void listener_connection_leave(struct listener_connection *connection);

/* project: "ann/p"; .at NULL: the stream is of one run or project. Otherwise as reply_live_send(). */
bool listener_connection_send(struct listener_connection *connection, struct str project,
			      struct str bytes);
enum reply_live_state listener_connection_state(const struct listener_connection *connection);

/* A listener to a project: its cursor, and the runs that it follows. */
struct watcher {
	struct str project; /* "ann/p"; .at NULL: the connection is of this project only */
	bool resumed;
	struct watch_cursor cursor;
	struct follow_list follows;
	enum visibility visibility; /* of the project, when access was checked last */
	bool sees_private;
	bool must_reset; /* its access has changed */
};

/*
 * The listeners, by the run or project that they listen to. Any thread adds one, or reports that a run has updates. One
 * thread waits for updates, takes what there is to do, and is the only one that removes listeners. The members of a
 * listener in the list, except `next`, belong to that thread.
 */
struct listener {
	struct listener *next;   /* of the same key */
	int64_t key;             /* a run's number, or a project's with a minus */
	struct watcher *watcher; /* of a project; NULL: of a run */
	struct listener_connection *connection;
	const struct request *asked; /* the request; valid until the connection is left */
	struct listener_ask ask;     /* with the cursor up to which all was sent */
	struct listener_seen seen;
	bool is_open;           /* its first event was sent */
	bool must_wait;         /* much waits, for it or for all: nothing is sent now */
	int64_t full_since_us;  /* much waits for it; 0: no */
	int64_t not_before_us;  /* reading failed: when to try again */
	unsigned failure_count; /* in a row */
};

enum { LISTENED_SLOTS = 256 };

struct listener_list {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct listened *slots[LISTENED_SLOTS]; /* by hash of the key */
	size_t count;
	size_t limit;
	bool has_updates;
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

/* Reserves places for so many listeners, which listener_list_add() fills. Returns false at the limit. */
bool listener_list_reserve(struct listener_list *list, size_t count);
void listener_list_add(struct listener_list *list, struct listener *l);

/* Reports that there may be something to send to the listeners of the key. */
void listener_list_tell(struct listener_list *list, int64_t key);
void listener_list_tell_all(struct listener_list *list);
void listener_list_stop(struct listener_list *list);
/* Waits for updates, at most until then (monotonic). Returns false to stop. */
bool listener_list_wait(struct listener_list *list, int64_t until_us);

/* Takes the groups with updates, and those of all runs or projects as `also` says, into the arena. */
enum listener_take { TAKE_TOLD = 0, TAKE_RUNS = 1 << 0, TAKE_PROJECTS = 1 << 1 };
size_t listener_list_take(struct listener_list *list, struct arena *a, unsigned also,
			  struct listener_group **ret_groups);
/* Removes the listener. Its stream ends when what waits is sent. */
void listener_list_remove(struct listener_list *list, struct listener *l);

#endif
