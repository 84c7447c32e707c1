#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "db.h"

/*
 * The other servers of the database. Who has listeners says so; who hears that tells which runs it
 * stored something of, at most NEIGHBOURS_A_SECOND times a second, until it hears nothing more of the
 * kind. So a server alone, or one whose neighbours have no listeners, says nothing.
 *
 * It is LISTEN and NOTIFY by a thread and a connection of their own, beside the flush: a NOTIFY in it
 * would serialise all commits of the database. It makes things quick and nothing depends on it: without
 * the connection, or where a pooler is in between, everybody sees what is new by looking once a second.
 *
 * What is said on the channel, in words:
 *	listening           tell me
 *	runs 12 345 6789    something of these was stored
 *	all                 of more than can be told
 */
struct buf;
struct neighbours;

enum { NEIGHBOURS_A_SECOND = 5 };

struct neighbours_options {
	struct db_options database; /* to PostgreSQL itself */
	/* From the thread: something of the run (0: of any run) may have been stored elsewhere. */
	void (*heard)(void *arg, int64_t run_id);
	void *arg;
};

err_t neighbours_start(struct arena *a, const struct neighbours_options *options,
		       struct neighbours **ret_neighbours) __attribute__((warn_unused_result));
void neighbours_stop(struct neighbours *n);

/* From any thread; NULL: there are none. */

/* Something of the run was stored here. */
void neighbours_tell(struct neighbours *n, int64_t run_id);
/* Somebody listens here, now; to be said again at least once a second while it is so. */
void neighbours_listening(struct neighbours *n);

void neighbours_metrics(struct neighbours *n, struct buf *text);

#endif
