#ifndef BUCKET_H
#define BUCKET_H

#include "sample.h"

/* What is made of buckets that are finished, each series' own in order of the axis. */

/*
 * Of a counter, how fast it grew: from the last value of one bucket to that of the next, by the places
 * between them. A counter that fell began anew at 0. In place; a bucket of which nothing can be told, as
 * the first value of all, goes. Gives how many stay.
 */
uint32_t bucket_rates(struct bucket *buckets, uint32_t count, double places_per_unit);

/*
 * Buckets of several who measured the same, as one series: `all` has room for every bucket of the grid
 * and begins as zeroes. bucket_pack() moves those that hold something to its front and says how many.
 */
void bucket_join(struct bucket *all, const struct bucket *buckets, uint32_t count)
	__attribute__((nonnull(1)));
uint32_t bucket_pack(struct bucket *all, uint32_t size) __attribute__((nonnull));

#endif
