#ifndef SERIES_POSITION_H
#define SERIES_POSITION_H

#include "sample.h"
#include "series_lanes.h"

/*
 * The x axis of charts. Lanes are stored over steps (events: over microseconds); on another axis every
 * number gets the position that another key has in the same row. Numbers of rows without that key, or
 * with NaN for it, have none.
 *
 * A cell's position is exact if the other key has a cell of the same rows, which is so if both are in
 * every row. Else it follows from the cells of the other key that share rows with it: exact to 256
 * rows, and enough for times, which every row has.
 */
enum series_axis {
	SERIES_STEP, /* events: as SERIES_TIME, which clocks make steps of: series_clocks.h */
	SERIES_TIME, /* microseconds since 1970 */
	SERIES_RELATIVE, /* microseconds since the earliest time of the run in this stream; of a writer whose clock is not
			  * set, of which all times are before 2000, where others' are not, since its own */
	SERIES_PROCESS, /* the same of each writer by itself */
	SERIES_KEY,     /* a number, see sample_position() */
};

struct series_x {
	enum series_axis axis;
	int32_t key_id; /* of SERIES_KEY; else of "_timestamp"; INT32_MAX: there is none */
	bool log;
};

/* The key whose numbers are needed with those asked for, or INT32_MAX. */
int32_t series_position_key(const struct series_x *x, enum stream stream);

enum sample_scale series_position_scale(const struct series_x *x);

struct position_base {
	int64_t run_id;
	int32_t writer; /* -1: all of the run that have none of their own */
	int64_t base;   /* the earliest time */
};

struct series_positions {
	struct arena *arena;
	const struct series_x *x;
	enum stream stream;
	const struct lanes *lanes;
	struct position_base *bases; /* by run and writer */
	size_t base_count;
};

/* The positions of lanes that were read. */
struct series_positions series_positions_of(struct arena *a, const struct series_x *x,
					    enum stream stream, const struct lanes *lanes);

/*
 * The lane's cells get their positions as step_min and step_max; those without any are emptied. False:
 * they hold values of rows that have no position, so charts of them need single points.
 */
bool series_position_cells(const struct series_positions *p, struct lane *lane);

/*
 * Widens the range by all positions that the run's other key has; nothing if the axis itself is
 * stored. (A logarithmic axis with numbers of zero and below begins at the first that cells show
 * above zero: for times that is their second row, if the rows are evenly spaced in the cell.)
 */
void series_position_extent(const struct series_positions *p, int64_t run_id,
			    struct series_range *extent);

/* Numbers of a lane and, as their steps, their positions. */
struct positioned {
	const struct lane *lane;
	size_t order; /* in the lane */
	struct cell_values values;
	uint32_t at; /* so many of them have met their position */
};

/* Gives the numbers their positions; `rows` are the rows they are in. Sorts them. */
err_t series_position_points(struct db *db, struct codec *codec, const struct series_positions *p,
			     const struct series_ask *ask, struct series_range rows,
			     struct positioned *points, size_t count)
	__attribute__((warn_unused_result));

#endif
