#ifndef LIVE_LINE_H
#define LIVE_LINE_H

#include <stdbool.h>

#include "feed.h"
#include "settings.h"

/*
 * The stream of a project's live events, read by a thread of its own, which connects again when it breaks. What was said is
 * kept as bits (server_parts.h) until it is taken.
 */
struct live_line;

/* NULL without memory or threads. */
struct live_line *live_line_start(const struct settings *settings, struct feed *feed)
	__attribute__((nonnull));
void live_line_stop(struct live_line *line);

/* Follows another path from now on. */
void live_line_follow(struct live_line *line, const char *path) __attribute__((nonnull));

/* Connects now, if it waits to do so later. */
void live_line_hurry(struct live_line *line) __attribute__((nonnull));

struct live_news {
	unsigned parts;  /* that have changed */
	bool is_open;    /* events come */
	bool has_failed; /* the last try, as where the server has no place for another listener */
	char alert[MODEL_ALERT_SIZE]; /* title of the last alert since they were taken; "": none */
	double clock_ahead_s;         /* of the server's clock; NaN: not known yet */
};

/* Takes what has come since the last call. A stream that is silent for too long is ended. */
struct live_news live_line_take(struct live_line *line) __attribute__((nonnull));

#endif
