#ifndef MEDIA_H
#define MEDIA_H

#include "err.h"

struct request;

/*
 * ERR_UNSUPPORTED if the body's type is one that its route does not read: JSON for POST and PUT,
 * JSON or a merge patch for PATCH, lines of JSON if the route has ROUTE_LINES. A body without a
 * type counts as JSON; routes without a body are not checked.
 */
err_t media_check(struct request *q) __attribute__((warn_unused_result));

#endif
