#ifndef LISTING_H
#define LISTING_H

#include <stdio.h>

#include "clock.h"
#include "str.h"

struct arena;

/* A table for the terminal: cells are collected, then printed in columns as wide as they need. */
struct listing;

/* `head` is NULL-ended and sets the number of columns. */
struct listing *listing_new(struct arena *a, const char *const *head);
/* The next cell; copied. Rows fill from left to right. */
void listing_add(struct listing *l, struct str text);
void listing_add_time(struct listing *l, timestamp_us time); /* 0: "-" */
void listing_print(const struct listing *l, FILE *out);

#endif
