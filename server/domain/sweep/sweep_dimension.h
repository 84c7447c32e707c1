#ifndef SWEEP_DIMENSION_H
#define SWEEP_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct sweep_config;

/*
 * A dimension is a searched parameter of a sweep as the searches see it.
 *
 * A coordinate is in [0, 1], by the parameter's distribution function, so a step of the same length is equally probable anywhere:
 * of uniform and log_uniform kinds the coordinate is linear in the value or in its logarithm. A value of a finite parameter is a
 * interval, the coordinates from which sweep_parameter_draw() makes this value.
 *
 * Samples hold the distribution function at the value, as wandb's search has it: the upper end of the interval of an integer or a
 * choice. sweep_dimension_inside() moves it into the interval. Searches work with coordinates inside of intervals, and return such.
 */
enum sweep_dimension_kind {
	SWEEP_DIMENSION_REAL,  /* continuous, or quantised */
	SWEEP_DIMENSION_WHOLE, /* int_uniform: value number k of n, from 0, is at (k + 1) / n */
	SWEEP_DIMENSION_CATEGORICAL, /* the same, or, with weights, at their sum up to k */
};

/* How the value of a quantised dimension depends on its coordinate. */
enum sweep_scale {
	SWEEP_SCALE_LINEAR,     /* low + u (high - low) */
	SWEEP_SCALE_LOG,        /* exp(low + u (high - low)) */
	SWEEP_SCALE_NORMAL,     /* low is the mean, high the standard deviation */
	SWEEP_SCALE_LOG_NORMAL, /* exp() of the same */
};

struct sweep_span {
	double low, high;
};

/* Holds if the other dimension is part of the point and its coordinate is in one of the spans. */
struct sweep_activation {
	size_t dimension;
	const struct sweep_span *spans;
	size_t count;
};

struct sweep_dimension {
	enum sweep_dimension_kind kind;
	int64_t count;         /* n; 0 for SWEEP_DIMENSION_REAL */
	const double *weights; /* n that sum to 1; NULL: all equal */
	bool is_ordered; /* of choices: all are numbers, each greater than the one before, or each less */
	/* Only of SWEEP_DIMENSION_REAL; SWEEP_SCALE_LINEAR, 0 and 1 where the value is not needed. */
	enum sweep_scale scale;
	double low, high;
	double step; /* 0: continuous */
	/* All must hold, else the parameter is not part of the point. Dimensions with the same conditions are searched together. */
	const struct sweep_activation *conditions;
	size_t condition_count;
};

/* One for each searched parameter, in the order of the config. */
const struct sweep_dimension *sweep_dimensions_make(struct arena *a, const struct sweep_config *c,
						    size_t *ret_count)
	__attribute__((nonnull, returns_nonnull));

/* Values of a few: only intervals are possible. */
bool sweep_dimension_is_finite(const struct sweep_dimension *d) __attribute__((nonnull));
/* The interval that a coordinate is in; of a continuous dimension the coordinate itself. */
struct sweep_span sweep_dimension_interval(const struct sweep_dimension *d, double u)
	__attribute__((nonnull));
/* The number of the choice or integer that a coordinate is in, from 0. */
int64_t sweep_dimension_index(const struct sweep_dimension *d, double u) __attribute__((nonnull));
/* The upper end of the interval of a choice or integer: the coordinate that samples have. */
double sweep_dimension_end(const struct sweep_dimension *d, int64_t index) __attribute__((nonnull));
/* A coordinate that stands for all of its interval: the value's own, or the middle. */
double sweep_dimension_snap(const struct sweep_dimension *d, double u) __attribute__((nonnull));
/* From the coordinate in a sample to such a one. NaN stays NaN. */
double sweep_dimension_inside(const struct sweep_dimension *d, double x) __attribute__((nonnull));

/*
 * Snaps the coordinates of a point, and sets those to NaN whose conditions do not hold.
 */
void sweep_dimensions_snap(const struct sweep_dimension *d, size_t count, double *u)
	__attribute__((nonnull(1)));

#endif
