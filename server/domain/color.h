#ifndef COLOR_H
#define COLOR_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;

/*
 * Colours of runs. Each has a slot, which the page's palette gives a
 * colour to, so that it is the same for all users and on every page; slots
 * are given in turn. A user may choose another one, or any colour.
 */
enum { COLOR_SLOTS = 24, COLOR_MAX = 12 };

/* number: the run's number in its project, from 0. */
int32_t color_slot(int32_t number);

/*
 * "slot-0" to "slot-23", or "#rrggbb", which "-dash" or "-dot" may follow for the style of its
 * lines. Converted to lower case, so that equal colours are equal texts.
 */
bool color_parse(struct arena *a, struct str text, struct str *ret_color) __attribute__((nonnull));

#endif
