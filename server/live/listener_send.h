#ifndef LISTENER_SEND_H
#define LISTENER_SEND_H

#include "listener_view.h"
#include "listeners.h"

/* How each writer was shown last, by number: "alive", "lost", … */
struct listener_seen {
	const char **states;
	size_t count;
	bool is_behind; /* not all that changed was told */
};

/*
 * Appends events to `out` and moves `place` on; *ret_more tells that there is more than fits in one
 * go. Where console lines behind the place are no longer at hand, that are reset and open alone. After an error neither place nor `out` say anything: who keeps the place keeps the one before.
 * Of one view it depends on the streams and the place alone.
 */
err_t listener_send(struct listener_view *view, unsigned streams, struct listener_place *place,
		    struct buf *out, bool *ret_more) __attribute__((warn_unused_result));

/*
 * Of one of several runs that are followed: changes of state, alerts, or which console lines there are, behind
 * *at, which is moved on; but neither lines nor rows. listener_newest() is where it ends.
 */
err_t listener_tell(struct listener_view *view, enum listener_stream stream, int64_t *at,
		    struct buf *out) __attribute__((warn_unused_result));
int64_t listener_newest(const struct run *run, enum listener_stream stream);
struct listener_place listener_place_now(const struct run *run);

/*
 * What changed of writers since `seen`, which is grown with realloc, and changed only when all went
 * well; with everything else sent before it.
 */
err_t listener_send_writers(struct listener_view *view, int64_t limit_us,
			    const struct listener_place *place, struct listener_seen *seen,
			    struct buf *out) __attribute__((warn_unused_result));

void listener_send_writer(struct listener_view *view, int64_t limit_us,
			  const struct listener_place *place, const struct writer *writer,
			  struct buf *out);

/* The first event: open, or reset when the place is no longer at hand. */
err_t listener_open(struct listener_view *view, const struct listener_ask *ask,
		    struct listener_place *place, struct buf *out)
	__attribute__((warn_unused_result));

/* The last event, without an id where there is no place; the reason is the name of the problem that a new request would be answered with. */
void listener_close(const struct listener_place *place, const char *reason, struct buf *out);

#endif
