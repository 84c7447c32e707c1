#ifndef SWEEP_POINTS_H
#define SWEEP_POINTS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct sweep_draw;
struct sweep_dimension;
struct sweep_samples;

/* Points as bayes and tpe handle them: rows of coordinates inside of intervals, NaN for a parameter that a point does not have. */
struct sweep_points {
	const struct sweep_dimension *dimension;
	size_t dimensions;
	double *rows;
	size_t count;
};

/* The points of the samples, then the pending ones. */
struct sweep_points sweep_points_make(struct arena *a, const struct sweep_samples *s)
	__attribute__((nonnull));
/* All dimensions are finite, so a point can come twice. */
bool sweep_points_are_finite(const struct sweep_points *p) __attribute__((nonnull));
/* One of the points is at `u`, a point of the same kind. */
bool sweep_points_have(const struct sweep_points *p, const double *u) __attribute__((nonnull));
/* A uniform point, without conditions. */
void sweep_points_draw(const struct sweep_points *p, struct sweep_draw *draw, double *ret_u)
	__attribute__((nonnull));

#endif
