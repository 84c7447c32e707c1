#ifndef PAGE_PATH_H
#define PAGE_PATH_H

#include <stdbool.h>

#include "str.h"

/*
 * Whether the web page may be served at a path without a route: every view of it has a path of its
 * own ("/E/P/runs/ID"), and the page itself finds what to show. Not below first segments that the
 * server uses. Decoded, without the prefix.
 */
bool page_path_is_free(struct str path);

/* Whether a browser asks: all other clients get a 404 in JSON. */
bool page_path_is_asked_for(struct str accept);

#endif
