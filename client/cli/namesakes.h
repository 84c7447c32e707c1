#ifndef NAMESAKES_H
#define NAMESAKES_H

#include "api.h"

/* Prints the ids of runs with this name, if the last request found no run with this id. Returns false if nothing was
 * printed. The server's answer is left as it was. */
bool namesakes_say(const struct api *api) __attribute__((nonnull));

#endif
