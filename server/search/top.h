#ifndef TOP_H
#define TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/*
 * The first `limit` of many items in an order, without sorting all: a heap with the last of those
 * kept on top. `compare` gets items by number.
 */
struct top {
	int (*compare)(const void *context, uint32_t a, uint32_t b);
	const void *context;
	uint32_t *at;
	size_t count;
	size_t limit;
};

struct top top_new(struct arena *a, size_t limit,
		   int (*compare)(const void *context, uint32_t a, uint32_t b),
		   const void *context);
void top_add(struct top *t, uint32_t thing);
/* Sorts them; no item can be added any more. */
void top_sort(struct top *t);

#endif
