#ifndef GROUP_H
#define GROUP_H

#include "sample.h"

/*
 * Statistics over a group of runs, bucket by bucket of one grid. A run counts with the
 * mean that it has in a bucket, however many values that is of, so no run outweighs
 * another; least and greatest are of all single values. A run without values in a bucket,
 * but with some on both sides of it and no further apart than GROUP_REACH times its usual
 * distance, counts with the value on the line between: else the mean would jump wherever
 * some of the runs logged something else. Other runs without a finite value in a bucket
 * do not count there, and `runs` is how many did; their other values there are counted,
 * and included in the steps. If no run has a finite value of its own, the group has none.
 *
 * Deterministic when runs are added in a fixed order.
 */
enum { GROUP_REACH = 5 };

struct group_bucket {
	uint32_t runs; /* that count */
	uint64_t n;    /* finite values; 0: mean, least and greatest are not set */
	uint64_t nan, pinf, ninf;
	int64_t step_first, step_last;
	double min, max;
	double mean;   /* of the runs' means */
	double square; /* sum of squared distances from it */
};

/* Whether any run has a value there, finite or not. */
static inline bool group_has(const struct group_bucket *b)
{
	return b->n || b->nan || b->pinf || b->ninf;
}

/* The buckets of one run; `all` has room for every bucket of the grid. */
void group_add(struct group_bucket *all, const struct bucket *buckets, uint32_t count)
	__attribute__((nonnull(1)));

/*
 * Keeps the run's means for group_percentile(); before group_add() of the same. `values` has room for `most` runs in each
 * bucket of the grid.
 */
void group_keep(double *values, size_t most, const struct group_bucket *all,
		const struct bucket *buckets, uint32_t count) __attribute__((nonnull(1, 3)));
/*
 * Puts the means of a bucket in order; group_percentile() returns the one below which a share (0 to
 * 1) of them is, or interpolates between two.
 */
void group_order(double *values, size_t count) __attribute__((nonnull));
double group_percentile(const double *values, size_t count, double share) __attribute__((nonnull));

/* Standard deviation of the runs' means (over one less than their number); NaN for fewer than two. */
double group_deviation(const struct group_bucket *b) __attribute__((nonnull));

#endif
