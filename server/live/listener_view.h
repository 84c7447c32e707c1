#ifndef LISTENER_VIEW_H
#define LISTENER_VIEW_H

#include "clock.h"
#include "json_out.h"
#include "labels.h"
#include "listener_place.h"
#include "run_documents.h"

/*
 * A run as all its listeners see it in one round: what they have in common is read once, into an arena
 * of its own. What is read for one listener lives in the arena the connection has at the time.
 */
struct listener_view {
	struct run_reader reader;
	struct arena *arena;   /* of what they have in common */
	const struct run *run; /* as it is now */
	struct str name; /* one of several that are followed; .at NULL: the stream is its own */
	timestamp_us now;
	bool is_look; /* the look once a second, which is when writers fall silent */
	bool has_labels;
	struct labels labels;
	size_t key_counts[2]; /* of history and events; 0: not read */
};

/* About as many bytes of a kind go out in one piece, and so many values are read for it. */
enum { LISTENER_BYTES = 1 << 20, LISTENER_CELLS = 256 << 10 };

/* view->labels are there afterwards. */
err_t listener_view_labels(struct listener_view *view) __attribute__((warn_unused_result));

/*
 * An event of one thing, whose JSON is written in between. Of one of several runs it stands beside the
 * run's name, and moves no place: {"run": "a", "state": {…}}.
 */
struct json_out listener_item_begin(const struct listener_view *view, const char *name,
				    struct buf *out);
void listener_item_end(const struct listener_view *view, struct json_out *json,
		       const struct listener_place *place);

#endif
