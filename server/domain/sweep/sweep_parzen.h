#ifndef SWEEP_PARZEN_H
#define SWEEP_PARZEN_H

#include <stddef.h>

struct arena;
struct sweep_draw;
struct sweep_dimension;

/*
 * A density over some dimensions, by kernels around points and a wide one over the whole space.
 *
 * Numbers are on the axis of the coordinate, from 0 to 1; of normal kinds on that of the standard normal distribution, without bounds.
 * A kernel's width is the greater distance to the two neighbours of its point; of the first and last point to the only one. It is
 * at least the axis divided by the number of kernels plus 1, at most 100, and at most the axis. The wide kernel is in the middle,
 * as wide as the axis.
 *
 * A choice has in the kernel of a point with it the weight 1 + 1/n, all others 1/n, n the number of kernels.
 */
struct sweep_parzen;

/* Points: rows of `width` coordinates, of which those at `columns` are the dimensions; in the order of their age, oldest first. */
struct sweep_parzen_points {
	const struct sweep_dimension *dimension; /* `width` of them */
	size_t width;
	const size_t *columns;
	size_t column_count;
	const double *rows;
	const size_t *chosen; /* numbers of rows, ascending */
	size_t count;
};

/* The points must live as long as the density. */
struct sweep_parzen *sweep_parzen_new(struct arena *a, const struct sweep_parzen_points *points)
	__attribute__((nonnull, returns_nonnull));
/* Draws a point: sets ret_row at the columns, to coordinates inside of intervals. */
void sweep_parzen_draw(const struct sweep_parzen *p, struct sweep_draw *draw, double *ret_row)
	__attribute__((nonnull));
/* The logarithm of the density, or probability of the intervals, at a row. */
double sweep_parzen_log(const struct sweep_parzen *p, const double *row) __attribute__((nonnull));

#endif
