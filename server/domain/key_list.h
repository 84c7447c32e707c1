#ifndef KEY_LIST_H
#define KEY_LIST_H

#include "str.h"

struct arena;

/*
 * Lists of keys in one parameter: "loss,a\,b" is two of them. A comma that is part of a key has a
 * backslash before it, and so has a backslash that comes before a comma or another backslash; any
 * other backslash is itself.
 */

/* The next key; *rest is what follows its comma, and its `at` is NULL after the last one. */
struct str key_list_next(struct arena *a, struct str *rest);

#endif
