#ifndef REPLICA_H
#define REPLICA_H

#include "db.h"
#include "request.h"

/*
 * Reads from a streaming replica, within a bound of age that is stated.
 *
 * A thread asks the primary where its log ends and the replica how far it has come, some times within
 * the bound. What the replica shows is at least as new as the newest of those looks at the primary that
 * it has passed; the time since then is its lag. So no clock but our own is compared, an idle primary
 * makes no lag, and a replica or a thread that stops ages by itself, until no request is sent to it.
 *
 *	primary   ──┬────────┬────────┬────────┬──> its log
 *	          look 1   look 2   look 3   look 4
 *	replica   ────────────────x                  lag: now - time of look 2
 *
 * The table of routes marks those that may be read there (ROUTE_REPLICA); replica_of() decides.
 * A client that must see its own write sends the position of the commit in the log, which the answer to
 * the write has as Cairn-Written, in the header Cairn-After.
 */
struct buf;
struct replica;

struct replica_options {
	struct db_options primary;
	struct db_options replica;
	int64_t bound_us;
};

/* Does not wait for the replica; fails only when its address is none. */
err_t replica_start(struct arena *a, const struct replica_options *options,
		    struct replica **ret_replica) __attribute__((warn_unused_result));
void replica_stop(struct replica *r);

/* The worker's connection to the replica, to be asked instead of q->db; NULL: ask q->db. */
struct db *replica_of(struct request *q);
/* A request to the replica failed: it is not used again before the next look. */
void replica_failed(struct request *q, err_t e);

/* Checks the header Cairn-After of a route that may be read elsewhere. */
err_t replica_check(struct request *q) __attribute__((warn_unused_result));
/* The header Cairn-Written; `written` as db_written() has it. */
void replica_tell_written(struct request *q, int64_t written);
/* The header Cairn-Read-From. */
void replica_tell_source(struct request *q);

/* For /ready: "in use", "behind" or "away"; NULL: there is none. */
const char *replica_state(struct replica *r);
void replica_metrics(struct replica *r, struct buf *text);

#endif
