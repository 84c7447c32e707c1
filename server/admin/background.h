#ifndef BACKGROUND_H
#define BACKGROUND_H

#include <stdbool.h>

#include "config.h"
#include "err.h"

/*
 * A server in the background, "serve --background". It is a child in a session of its own, which
 * survives the end of the terminal. Until the server is ready, the command waits for it, and the
 * server prints where the command was started: errors are seen there, and the exit status is the
 * server's. After that it prints to DATADIR/cairnd.log.
 *
 *	DATADIR/cairnd.pid    its process id; the file is locked as long as the server runs
 *	DATADIR/cairnd.log    what it prints; DATADIR/cairnd.log.1 is an older one
 */
struct background {
	int lock; /* descriptors */
	int log;
	int ready; /* the command reads from the other end */
};

const char *background_pid_file(struct arena *a, const struct config *config);
const char *background_log_file(struct arena *a, const struct config *config);

/*
 * Returns twice: in the server with *ret_is_server, and in the command, when the server is ready or has ended, with the exit
 * status. ERR_PRECONDITION if a server runs in the background with this data directory already.
 */
err_t background_begin(struct arena *a, const struct config *config,
		       struct background *ret_background, bool *ret_is_server, int *ret_status)
	__attribute__((warn_unused_result));

/* In the server, once it is ready. */
void background_ready(struct background *b);

#endif
