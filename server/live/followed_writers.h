#ifndef FOLLOWED_WRITERS_H
#define FOLLOWED_WRITERS_H

#include "listener_event.h"

/*
 * The states of a run's writers as they were sent last to its followers. Each change has a number, so a follower keeps
 * only the number up to which changes were sent to it.
 */
struct followed_writer {
	const char *state; /* "alive", "lost", …; NULL: never shown */
	int64_t change;
};

struct followed_writers {
	struct followed_writer *at; /* by number of the writer */
	size_t count;
	int64_t change; /* the last */
	bool was_read;
	int64_t version; /* of the run, when they were read last */
	int64_t due_us;  /* when one of them may be lost without the run being saved */
};

void followed_writers_deinit(struct followed_writers *w);

/* Returns whether there may be changes behind this number. */
bool followed_writers_may_tell(const struct followed_writers *w, const struct listener_view *view,
			       int64_t change);
/* Appends the writers that changed behind *change, up to LISTENER_BYTES, and moves it on. */
err_t followed_writers_tell(struct followed_writers *w, struct listener_view *view,
			    int64_t limit_us, int64_t *change, struct buf *out)
	__attribute__((warn_unused_result));

#endif
