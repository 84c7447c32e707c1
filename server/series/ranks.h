#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;

/*
 * Statistics across ranks: a table of one number per label and column (a step, or a stretch of
 * steps or time); NaN if the label has none. Robust, so that one slow rank does not hide itself:
 * the center of a column is its median, its spread the median distance from it.
 */
enum ranks_slow {
	RANKS_SLOW_HIGH,
	RANKS_SLOW_LOW
}; /* a slow rank has the greatest number, or the least */

enum { RANKS_FAR = 3 }; /* spreads from the median: more is not noise */

struct rank_column {
	uint32_t labels; /* that have a number */
	double mean, min, max, median;
	double spread; /* 1.4826 x the median distance: a standard deviation, if it were normal */
	uint32_t slowest; /* label; of several the first */
};

struct rank_label {
	uint32_t columns; /* in which it has a number */
	double mean;
	/* of the columns that it shares with others; 0 if there are none: */
	double far; /* the median of its distances from their medians, in spreads; slow is above 0 */
	double slow; /* the share in which it is slower by more than RANKS_FAR spreads */
};

struct ranks {
	uint32_t label_count;
	uint32_t column_count;
	double *values; /* values[label * column_count + column] */
	enum ranks_slow slow;
};

/* ret_columns and ret_labels have room for all. Columns without numbers have labels 0. */
void ranks_measure(struct arena *a, const struct ranks *r, struct rank_column *ret_columns,
		   struct rank_label *ret_labels) __attribute__((nonnull));

#endif
