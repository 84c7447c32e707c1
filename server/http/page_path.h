#ifndef PAGE_PATH_H
#define PAGE_PATH_H

#include <stdbool.h>

#include "str.h"

/*
 * Whether the web page may lie at a path where there is nothing else: every address of it is a path of its own
 * ("/E/P/runs/ID"), and what there is to see the page finds out. Not below the first words that are the
 * server's own, whatever they have below them. Decoded, without the prefix.
 */
bool page_path_is_free(struct str path);

/* Whether a browser asks: all others are better told in JSON that there is nothing. */
bool page_path_is_asked_for(struct str accept);

#endif
