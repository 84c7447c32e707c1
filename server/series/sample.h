#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rollup.h"

struct arena;

/*
 * A chart's worth of a series: at most k buckets over a range of steps, filled from cells or from
 * single points. Spikes survive (min, max), and so do counts of NaN and the infinities.
 *
 * Deterministic: the caller adds writer after writer in ascending writer number, each writer's
 * cells or points in order, and chooses between cells and points with sample_wants_cells(), which
 * knows totals only. So the same question has the same answer before and after compaction.
 *
 * A cell is counted wholly: in the bucket of its smallest step, or in the first one if the range
 * begins within it. The steps that a bucket reports are those it holds, which may reach into the
 * next bucket's share, and out of the range.
 */
struct sample;

struct bucket {
	uint32_t at;                   /* which one of the shape's */
	int64_t step_first, step_last; /* smallest and largest step in it */
	int64_t row_first, row_last;
	double first, last;    /* by row number */
	double min, max, mean; /* of the finite values; NaN when n is 0 */
	uint64_t n;            /* finite values */
	uint64_t nan, pinf, ninf;
};

enum {
	SAMPLE_MAX_BUCKETS = 20000,
	SAMPLE_CELL_POINTS = CELL_VALUES, /* per bucket: from then on cells are fine enough */
	SAMPLE_CUT_AMONG = 16,            /* cells for each that the range begins or ends in */
};

/*
 * Cells or points? `points` of the series (all writers asked for) are in cells that overlap the
 * range, `cut` of them in cells it begins or ends in: only those have values outside of it.
 */
static inline bool sample_wants_cells(uint64_t points, uint32_t buckets, uint64_t cut)
{
	return points / SAMPLE_CELL_POINTS >= buckets + cut * SAMPLE_CUT_AMONG;
}

/*
 * The meaning of "steps". Real numbers come as positions: whole numbers in the same order. On a
 * logarithmic axis, of real or of whole numbers, those not above zero have no bucket. SAMPLE_EDGES:
 * whole numbers whose buckets have the bounds given by the shape.
 */
enum sample_scale { SAMPLE_WHOLE, SAMPLE_REAL, SAMPLE_LOG, SAMPLE_WHOLE_LOG, SAMPLE_EDGES };

/* Below the position of any number. */
#define SAMPLE_NOWHERE INT64_MIN

/* The position of a number, not NaN; -0 is 0. */
static inline int64_t sample_position(double x)
{
	int64_t bits;

	x += 0.0;
	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static inline double sample_real(int64_t position)
{
	double x;

	position = position < 0 ? position ^ INT64_MAX : position;
	memcpy(&x, &position, sizeof(x));
	return x;
}

/* Steps from `step_first` to `step_last`, both within; 1 to SAMPLE_MAX_BUCKETS buckets. */
struct sample_shape {
	int64_t step_first;
	int64_t step_last;
	uint32_t buckets;
	uint64_t points; /* at most that many values will come: no memory for more buckets */
	enum sample_scale scale;
	const int64_t
		*edges; /* SAMPLE_EDGES: the begin of each bucket, and the first step after all */
};

/*
 * The start of a bucket's share of the axis, as a number; for the bucket after the last: its end.
 */
double sample_edge(const struct sample_shape *shape, uint32_t bucket) __attribute__((nonnull));

/*
 * The same for whole numbers: the least that is in the bucket or after it, which may be after all.
 */
int64_t sample_first(const struct sample_shape *shape, uint32_t bucket) __attribute__((nonnull));

struct sample *sample_new(struct arena *a, const struct sample_shape *shape)
	__attribute__((nonnull, returns_nonnull));
void sample_add_cells(struct sample *s, const struct cell *cells, uint32_t count)
	__attribute__((nonnull(1)));
void sample_add_points(struct sample *s, const struct cell_values *points) __attribute__((nonnull));

/* Buckets that hold something, in order of steps; memory of the sample's arena. */
uint32_t sample_finish(struct sample *s, struct bucket **ret_buckets) __attribute__((nonnull));

#endif
