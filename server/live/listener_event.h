#ifndef LISTENER_EVENT_H
#define LISTENER_EVENT_H

#include "buf.h"
#include "clock.h"
#include "json_out.h"
#include "labels.h"
#include "run_documents.h"

/* The cursor of a listener, up to which everything was sent. These seven numbers are the id of an event. */
struct listener_cursor {
	int64_t row;
	int64_t event;
	int64_t seq;    /* of the last block of the tail that was looked at */
	int32_t lines;  /* already sent of the next block with console lines */
	int32_t state;  /* number of the last change of state */
	int32_t alert;  /* of the last alert */
	int32_t branch; /* that all of it is of */
};

/* "12.3.40.0.2.0.0" */
void listener_cursor_write(const struct listener_cursor *cursor, struct buf *out);
bool listener_cursor_read(struct str text, struct listener_cursor *ret_cursor);

/* An event of the stream: its name, its data, which the caller writes, and the cursor behind it (NULL: no id). */
void listener_event_begin(struct buf *out, const char *name);
void listener_event_end(struct buf *out, const struct listener_cursor *cursor);

/*
 * A run as all its listeners see it in one round. Data for all of them is read once, into an arena of its own.
 * Data for one listener is read into the arena that the connection has at the time.
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

/* Limits of one event: about as many bytes are sent, and so many values are read for it. */
enum { LISTENER_BYTES = 1 << 20, LISTENER_CELLS = 256 << 10 };

/* Reads view->labels, unless they are there already. */
err_t listener_view_labels(struct listener_view *view) __attribute__((warn_unused_result));

/*
 * An event of one item, whose JSON the caller writes in between. If several runs are followed, the run's name is
 * added and the event has no id: {"run": "a", "state": {…}}.
 */
struct json_out listener_event_begin_item(const struct listener_view *view, const char *name,
					  struct buf *out);
void listener_event_end_item(const struct listener_view *view, struct json_out *json,
			     const struct listener_cursor *cursor);

#endif
