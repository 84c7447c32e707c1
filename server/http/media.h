#ifndef MEDIA_H
#define MEDIA_H

#include "err.h"

struct request;

/*
 * ERR_UNSUPPORTED when the body says that it is something which its route does not read: JSON for
 * POST and PUT, JSON or a merge patch for PATCH, lines of JSON where the route says so (ROUTE_LINES).
 * A body that says nothing counts as JSON; routes without a body are not asked.
 */
err_t media_check(struct request *q) __attribute__((warn_unused_result));

#endif
