#ifndef SERVE_H
#define SERVE_H

#include "config.h"
#include "err.h"

/*
 * Runs the server until it is told to stop (SIGTERM, SIGINT; the second one does not wait for
 * answers under way). Returns when all of it has stopped.
 */
err_t serve(struct arena *a, const struct config *config) __attribute__((warn_unused_result));

#endif
