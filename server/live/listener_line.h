#ifndef LISTENER_LINE_H
#define LISTENER_LINE_H

#include "reply.h"

/*
 * The connection of a listener, or of several: of one for each project of a stream that is of many. Before what is of
 * another project than what was sent last an event says of which (`project`). Once it was handed on it is the sending
 * thread's; it is given back when the last listener leaves it.
 */
struct listener_line;

/* The places of an address and a user, which the line gives back at its end. */
struct listener_places {
	struct shares *shares;
	struct share_owner *owners[2]; /* NULL: not known */
};

/* Of so many listeners, and never of none. */
struct listener_line *listener_line_new(struct request *q, size_t owners,
					const struct listener_places *places);
void listener_line_leave(struct listener_line *line);

/* `project`: "ann/p"; .at NULL: the stream is of one thing alone. As reply_live_send(). */
bool listener_line_send(struct listener_line *line, struct str project, struct str bytes);
enum reply_live_state listener_line_state(const struct listener_line *line);

#endif
