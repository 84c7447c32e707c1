#ifndef LISTENER_SEND_H
#define LISTENER_SEND_H

#include "listener_event.h"
#include "listeners.h"

/* The state of each writer that was sent last, by number: "alive", "lost", … */
struct listener_seen {
	const char **states;
	size_t count;
	bool is_behind; /* some changes are not sent yet */
};

/*
 * Appends events to `out` and moves `cursor` on; *ret_more: more is left than fits in one call. If console lines behind
 * the cursor are gone, the events are `reset` and `open` only. After an error `cursor` and `out` are undefined: keep the
 * cursor of before. The result depends on the view, the streams and the cursor only.
 */
err_t listener_send(struct listener_view *view, unsigned streams, struct listener_cursor *cursor,
		    struct buf *out, bool *ret_more) __attribute__((warn_unused_result));

/*
 * For one of several runs that are followed: sends changes of state, alerts, or which console lines exist behind *at,
 * which is moved on, but no lines and no rows. listener_newest() is the newest value of *at.
 */
err_t listener_tell(struct listener_view *view, enum listener_stream stream, int64_t *at,
		    struct buf *out) __attribute__((warn_unused_result));
int64_t listener_newest(const struct run *run, enum listener_stream stream);
struct listener_cursor listener_cursor_now(const struct run *run);

/*
 * Sends the writers that changed since `seen`. It is grown with realloc and changed only on success, when everything
 * before was sent.
 */
err_t listener_send_writers(struct listener_view *view, int64_t limit_us,
			    const struct listener_cursor *cursor, struct listener_seen *seen,
			    struct buf *out) __attribute__((warn_unused_result));

void listener_send_writer(struct listener_view *view, int64_t limit_us,
			  const struct listener_cursor *cursor, const struct writer *writer,
			  struct buf *out);

/* The first event: `open`, with `reset` before it if the cursor is not valid any more. */
err_t listener_open(struct listener_view *view, const struct listener_ask *ask,
		    struct listener_cursor *cursor, struct buf *out)
	__attribute__((warn_unused_result));

/* The last event, without an id if `cursor` is NULL. The reason is the problem that a new request would be answered with. */
void listener_close(const struct listener_cursor *cursor, const char *reason, struct buf *out);

#endif
