#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>

#include "config.h"
#include "err.h"

struct background;

/* For people who start a server by hand. */
struct serve_options {
	const char *first_user; /* added if there are no users; may be NULL */
	const char *key_file;   /* for the first user's key, absolute; NULL without a first user */
	struct background *background; /* told when the server is ready; may be NULL */
	bool print_lines; /* prints address and lines for programs when the server is ready */
};

/*
 * Runs the server until it is told to stop (SIGTERM, SIGINT; the second one does not wait for
 * answers under way). Returns when all of it has stopped.
 */
err_t serve(struct arena *a, const struct config *config, const struct serve_options *options)
	__attribute__((warn_unused_result));

#endif
