#ifndef LISTENER_SEND_H
#define LISTENER_SEND_H

#include "json_out.h"
#include "listeners.h"
#include "run_documents.h"

/* What is new in a run for one listener, as server-sent events. */
struct listener_view {
	struct run_reader reader;
	const struct run *run; /* as it is now */
	timestamp_us now;
};

/* How each writer was shown last, by number: "alive", "lost", … */
struct listener_seen {
	const char **states;
	size_t count;
};

/*
 * Appends events to `out` and moves ask->place on; *ret_more tells that there is more than fits in one
 * go. All memory is the connection's arena's, but for `seen`, which is grown with realloc.
 */
err_t listener_send(const struct listener_view *view, struct listener_ask *ask,
		    struct listener_seen *seen, struct buf *out, bool *ret_more)
	__attribute__((warn_unused_result));

/* The first event: open, or reset when the place is no longer at hand. */
err_t listener_open(const struct listener_view *view, struct listener_ask *ask, struct buf *out)
	__attribute__((warn_unused_result));

#endif
