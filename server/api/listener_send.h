#ifndef LISTENER_SEND_H
#define LISTENER_SEND_H

#include "json_out.h"
#include "labels.h"
#include "listeners.h"
#include "run_documents.h"
#include "series_rows.h"

/*
 * A run as all its listeners see it in one round: what they have in common is read once, into an arena
 * of its own. What is read for one listener lives in the arena the connection has at the time.
 */
struct listener_view {
	struct run_reader reader;
	struct arena *arena;   /* of what they have in common */
	const struct run *run; /* as it is now */
	timestamp_us now;
	bool is_look; /* the look once a second, which is when writers fall silent */
	bool has_labels;
	struct labels labels;
	size_t key_counts[2]; /* of history and events; 0: not read */
};

/* How each writer was shown last, by number: "alive", "lost", … */
struct listener_seen {
	const char **states;
	size_t count;
	bool is_behind; /* not all that changed was told */
};

/* About as many bytes of a kind go out in one piece, and so many values are read for it. */
enum { LISTENER_BYTES = 1 << 20, LISTENER_CELLS = 256 << 10 };

/*
 * Appends events to `out` and moves `place` on; *ret_more tells that there is more than fits in one
 * go. After an error neither place nor `out` say anything: who keeps the place keeps the one before.
 * `seen` is grown with realloc, and changed only when all went well.
 */
err_t listener_send(struct listener_view *view, const struct listener_ask *ask,
		    struct listener_place *place, struct listener_seen *seen, struct buf *out,
		    bool *ret_more) __attribute__((warn_unused_result));

/* The first event: open, or reset when the place is no longer at hand. */
err_t listener_open(struct listener_view *view, const struct listener_ask *ask,
		    struct listener_place *place, struct buf *out)
	__attribute__((warn_unused_result));

/* The last event; the reason is the name of the problem that a new request would be answered with. */
void listener_close(const struct listener_place *place, const char *reason, struct buf *out);

/* ---- their parts: listener_rows.c, listener_console.c --------------------------------------------- */

err_t listener_send_rows(struct listener_view *view, enum stream stream,
			 struct listener_place *place, struct buf *out, bool *ret_more)
	__attribute__((warn_unused_result));
err_t listener_send_console(struct listener_view *view, struct listener_place *place,
			    struct buf *out, bool *ret_more) __attribute__((warn_unused_result));
/* view->labels are there afterwards. */
err_t listener_view_labels(struct listener_view *view) __attribute__((warn_unused_result));

#endif
