#ifndef ROUTES_H
#define ROUTES_H

#include <stdio.h>

#include "route.h"

/* Every path the server knows, who may call it, and how large a body may be. */
extern const struct route api_routes[];
extern const size_t api_route_count;

/* A line per route: method, path, who, flags, largest body. */
void routes_print(FILE *out);

#endif
