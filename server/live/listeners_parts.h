#ifndef LISTENERS_PARTS_H
#define LISTENERS_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "listener_list.h"
#include "listeners.h"
#include "peers.h"

/* Shared by listeners.c, listener_check.c, listener_run.c and listener_project.c. All of it belongs to the thread. */

enum {
	LISTENER_READ_US = 10 * 1000 * 1000, /* that what one listener needs may take */
};

/* An update made for one listener of a run, shared with the next ones that have the same cursor. */
struct shared_update {
	bool is_there;
	unsigned streams;
	struct listener_cursor from;
	struct listener_cursor to;
	bool more;
	struct buf bytes;
};

struct listeners {
	struct listeners_options options;
	struct listener_list list;
	struct shares *shares; /* of addresses and users */
	_Atomic uint64_t refused;
	struct peers *peers; /* NULL: none */
	bool is_running;
	pthread_t thread;
	int64_t next_look_us;
	int64_t next_watch_us;
	bool is_look_due; /* the last look was not completed; nothing is sent until one is */
	struct project_watch *watches;
	struct arena *connection_arena;
	struct arena *arena;     /* of a round */
	struct arena *run_arena; /* of one run or project in it */
	struct arena *own_arena; /* of one listener of it */
	struct arena *scratch;   /* of one run that it follows */
	struct shared_update shared;
	struct db *db;
	_Atomic uint64_t too_slow;  /* that were ended */
	_Atomic size_t watch_count; /* projects */
	_Atomic size_t watched_runs;
	_Atomic size_t followed_runs;
	_Atomic uint64_t followed_made;
	_Atomic uint64_t followed_late; /* what had to wait for another pass */
};

/* A pass of the thread. */
struct round {
	bool is_look;
	bool is_watch; /* of projects, once a second */
	timestamp_us now;
	struct codec *codec;
	const struct run *runs; /* by id */
	size_t run_count;
};

/* ---- listener_check.c: may they still, can they take more ---- */

/* Returns the wait after so many failures in a row. It doubles each time. */
int64_t listener_wait_us(unsigned failure_count);

/* As reply_live_send(). */
bool listener_send_bytes(struct listener *l, struct str bytes);
void listener_end(struct listeners *ls, struct listener *l, const char *reason);
/*
 * Tries the listener again after listener_wait_us(). Returns the error only if the connection is lost, since the failure
 * of one listener does not stop the others.
 */
err_t listener_put_off(struct listeners *ls, struct listener *l, err_t e)
	__attribute__((warn_unused_result));
/*
 * Leaves only the listeners in the group that can be sent something now. Listeners that have to catch up are checked
 * again in the next round, those with a failure in the next look.
 */
err_t listener_sort_out(struct listeners *ls, const struct round *round,
			struct listener_group *group) __attribute__((warn_unused_result));

/* ---- one group; an error: the connection is lost ---- */

err_t listener_run_serve(struct listeners *ls, const struct round *round,
			 const struct listener_group *group) __attribute__((warn_unused_result));
err_t listener_project_serve(struct listeners *ls, const struct round *round,
			     const struct listener_group *group)
	__attribute__((warn_unused_result));
/* Call it before any group is served: new listeners start to follow their runs, and followed runs are counted. */
void listener_project_join(struct listeners *ls, const struct listener_group *groups, size_t count);
/* Call it after a round that looked at projects: frees those that have no watchers any more. */
void listener_project_tidy(struct listeners *ls);
void listener_project_stop(struct listeners *ls);

#endif
