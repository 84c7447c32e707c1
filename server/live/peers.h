#ifndef PEERS_H
#define PEERS_H

#include "db.h"

/*
 * The other servers of the database. A server that has listeners announces them. A server that receives this sends
 * the numbers of the runs it stores something of, at most PEERS_A_SECOND times a second, until the announcements end.
 * So a single server, or one whose peers have no listeners, sends nothing.
 *
 * LISTEN and NOTIFY run on a thread and a connection of their own, not in the flush: a NOTIFY in its transaction would
 * serialise all commits of the database. They only make updates faster. Without the connection, or with a pooler in
 * between, listeners see changes when they look, once a second.
 *
 * The channel carries these messages:
 *	listening           this server has listeners
 *	runs 12 345 6789    something of these runs was stored
 *	all                 something was stored of more runs than can be listed
 */
struct buf;
struct peers;

enum { PEERS_A_SECOND = 5 };

struct peers_options {
	struct db_options database; /* to PostgreSQL itself */
	/* Called by the thread: another server may have stored something of the run (0: of any run). */
	void (*changed)(void *arg, int64_t run_id);
	void *arg;
};

err_t peers_start(struct arena *a, const struct peers_options *options, struct peers **ret_peers)
	__attribute__((warn_unused_result));
void peers_stop(struct peers *p);

/* The functions below may be called by any thread; `p` may be NULL: there are no peers. */

/* This server stored something of the run. */
void peers_notify(struct peers *p, int64_t run_id);
/* This server has a listener now. Call it at least once a second while it has one. */
void peers_listening(struct peers *p);

void peers_metrics(struct peers *p, struct buf *text);

#endif
