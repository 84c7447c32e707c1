#ifndef STARTING_H
#define STARTING_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

/*
 * The current step of a starting server, which may take hours: a line in the file "starting" of its
 * data directory, which "cairnd healthcheck" prints. Its writer holds a lock on it, so that a line
 * left by a killed server is ignored.
 */
struct starting {
	const char *path;
	int fd; /* -1: the file cannot be written, and no line is */
};

void starting_begin(struct arena *a, const struct config *config, struct starting *ret_starting);
/* `s` may be NULL. */
void starting_say(const struct starting *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void starting_end(struct starting *s);

/* False if no server is starting. */
enum { STARTING_SIZE = 256 };
bool starting_read(struct arena *a, const struct config *config, char ret_line[STARTING_SIZE]);

#endif
