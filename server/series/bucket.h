#ifndef BUCKET_H
#define BUCKET_H

#include "sample.h"

/* Operations on finished buckets, each series' own in order of the axis. */

/*
 * The rate of a counter: from the last value of one bucket to that of the next, by the positions
 * between them. A counter that fell started again at 0. In place; a bucket without a rate, such as
 * the first, is dropped. Returns how many stay.
 */
uint32_t bucket_rates(struct bucket *buckets, uint32_t count, double positions_per_unit);

/*
 * Buckets of several writers that measured the same, as one series: `all`
 * has room for every bucket of the grid and begins as zeroes. bucket_pack()
 * moves those that hold something to its front and returns how many.
 */
void bucket_join(struct bucket *all, const struct bucket *buckets, uint32_t count)
	__attribute__((nonnull(1)));
uint32_t bucket_pack(struct bucket *all, uint32_t size) __attribute__((nonnull));

#endif
