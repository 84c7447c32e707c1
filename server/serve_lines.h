#ifndef SERVE_LINES_H
#define SERVE_LINES_H

#include <stdio.h>

#include "err.h"

struct app;

/* Address, log, and lines "export NAME=VALUE", of a server that is ready. */
err_t serve_print_lines(struct arena *a, const struct app *app, FILE *out)
	__attribute__((warn_unused_result));

#endif
