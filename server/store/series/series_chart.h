#ifndef SERIES_CHART_H
#define SERIES_CHART_H

#include "series_clocks.h"

/* A query of series_sampled(), examined: the existing data, before any bucket is filled. */

static const struct series_range series_nowhere = { INT64_MAX, INT64_MIN };

static inline void series_range_widen(struct series_range *range, int64_t from, int64_t to)
{
	range->from = from < range->from ? from : range->from;
	range->to = to > range->to ? to : range->to;
}

/* Numbers of keys, for qsort() and bsearch(). */
int series_compare_ids(const void *a, const void *b);

/* Lanes that make one series: lanes[first] to lanes[first + count - 1]. */
struct curve {
	size_t first;
	size_t count;
	struct series_range rows;  /* the rows with values of the range */
	struct series_range there; /* the positions of the axis within the range */
	uint64_t points;           /* in cells that the range reaches into, */
	uint64_t cut; /* of which it begins or ends in so many: two a lane where positions rise */
	bool points_only; /* its cells hold what has no position */
	struct sample *sample;
};

struct chart {
	struct db *db;
	struct codec *codec;
	const struct sampled_ask *ask;
	struct lanes lanes; /* of the keys asked for and, perhaps, of the axis */
	struct series_positions positions;
	bool is_clocked;             /* positions are times, and the axis is of steps */
	struct series_clocks clocks; /* of the runs then */
	struct curve *curves;
	size_t count;
	struct series_range grid;
	struct sampled_aside aside;
	const int64_t *times; /* as in the answer */
};

/* Finds its lanes with their positions, which are its curves, and the grid. */
err_t series_chart_look(struct chart *c) __attribute__((warn_unused_result));

/* For a chart whose positions are times and whose axis is of steps; NULL: the run has no rows. */
const struct series_clock *series_chart_clock(const struct chart *c, const struct curve *curve);

#endif
