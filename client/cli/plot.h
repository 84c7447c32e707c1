#ifndef PLOT_H
#define PLOT_H

#include <stddef.h>

/* One stretch of a curve: its range of x and y, and the middle. */
struct plot_point {
	double x;
	double low, high, mean;
};

/*
 * Draws a curve of dots into text (two by four dots a character) with axes and their figures. The
 * mean is a line; spikes are drawn from low to high, so that they are seen.
 */
void plot_draw(const char *title, const struct plot_point *points, size_t count, int width,
	       int height);

#endif
