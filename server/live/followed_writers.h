#ifndef FOLLOWED_WRITERS_H
#define FOLLOWED_WRITERS_H

#include "listener_event.h"

/*
 * How the writers of a run were shown last to those who follow it. Each change of one has a number, so that
 * who follows keeps just the number up to which it was told.
 */
struct writer_mark {
	const char *state; /* "alive", "lost", …; NULL: never shown */
	int64_t change;
};

struct followed_writers {
	struct writer_mark *at; /* by number of the writer */
	size_t count;
	int64_t change; /* the last */
	bool was_read;
	int64_t version; /* of the run, when they were read last */
	int64_t due_us;  /* when one of them may be lost without the run being saved */
};

void followed_writers_deinit(struct followed_writers *w);

/* Whether there may be something to tell behind that change. */
bool followed_writers_may_tell(const struct followed_writers *w, const struct listener_view *view,
			       int64_t change);
/* Appends those that changed behind *change, as far as LISTENER_BYTES go, and moves it on. */
err_t followed_writers_tell(struct followed_writers *w, struct listener_view *view,
			    int64_t limit_us, int64_t *change, struct buf *out)
	__attribute__((warn_unused_result));

#endif
