#ifndef NAMESAKES_H
#define NAMESAKES_H

#include "api.h"

/* Where the last request found no run of this id, but runs that people see under this name: says their ids. False:
 * nothing was said. What the server answered stays as it was. */
bool namesakes_say(const struct api *api) __attribute__((nonnull));

#endif
