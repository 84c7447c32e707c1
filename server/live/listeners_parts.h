#ifndef LISTENERS_PARTS_H
#define LISTENERS_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "listener_list.h"
#include "listeners.h"
#include "peers.h"

/* What listeners.c, listener_check.c, listener_run.c and listener_project.c share: all is the thread's. */

enum {
	LISTENER_READ_US = 10 * 1000 * 1000, /* that what one listener needs may take */
};

/* What was made for one listener of a run, for the next one with the same cursor. */
struct shared_news {
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
	bool is_look_due; /* the last one was cut short; until one is complete, nothing is sent */
	struct project_watch *watches;
	struct arena *connection_arena;
	struct arena *arena;     /* of a round */
	struct arena *run_arena; /* of one run or project in it */
	struct arena *own_arena; /* of one listener of it */
	struct arena *scratch;   /* of one run that it follows */
	struct shared_news shared;
	struct db *db;
	_Atomic uint64_t too_slow;  /* that were ended */
	_Atomic size_t watch_count; /* projects */
	_Atomic size_t watched_runs;
	_Atomic size_t followed_runs;
	_Atomic uint64_t followed_made;
	_Atomic uint64_t followed_late; /* what had to wait for another pass */
};

/* One pass of the thread. */
struct round {
	bool is_look;
	bool is_watch; /* of projects, once a second */
	timestamp_us now;
	struct codec *codec;
	const struct run *runs; /* by id */
	size_t run_count;
};

/* ---- listener_check.c: may they still, can they take more ---- */

/* Until what failed is tried again, which did so many times in a row before: each time twice as long. */
int64_t listener_wait_us(unsigned failure_count);

/* As reply_live_send(). */
bool listener_send_bytes(struct listener *l, struct str bytes);
void listener_end(struct listeners *ls, struct listener *l, const char *reason);
/*
 * Tried again later, each time twice as much later. Its failure is no reason to stop, unless the
 * connection is lost: then the error is returned.
 */
err_t listener_put_off(struct listeners *ls, struct listener *l, err_t e)
	__attribute__((warn_unused_result));
/*
 * Leaves those in the group that can be sent something now. Others are looked at again in the next
 * round where they only have to catch up, in the next look where something failed.
 */
err_t listener_sort_out(struct listeners *ls, const struct round *round,
			struct listener_group *group) __attribute__((warn_unused_result));

/* ---- one group; an error: the connection is lost ---- */

err_t listener_run_serve(struct listeners *ls, const struct round *round,
			 const struct listener_group *group) __attribute__((warn_unused_result));
err_t listener_project_serve(struct listeners *ls, const struct round *round,
			     const struct listener_group *group)
	__attribute__((warn_unused_result));
/* Before any group is served: those who have come follow their runs, and it is counted how many those are. */
void listener_project_join(struct listeners *ls, const struct listener_group *groups, size_t count);
/* After a round that looked at projects: those that nobody watches any more are forgotten. */
void listener_project_tidy(struct listeners *ls);
void listener_project_stop(struct listeners *ls);

#endif
