#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "cells.h"

/* One stretch of a curve: its range of x and y, and the middle. */
struct chart_point {
	double x;
	double low, high, mean;
};

struct chart {
	const struct chart_point *points; /* by x */
	size_t count;
	bool is_time; /* x is in seconds */
	bool is_log;  /* y by its logarithm; numbers that have none are left out */
	enum style style;
};

/* Draws the curve in dots (two by four of them a character), with the ends of its axes where there is room for them. */
void chart_draw(struct cells *cells, struct box box, const struct chart *chart)
	__attribute__((nonnull));

/* A number in few characters: "0.0123", "1.2e-05", "12345", "4.6M". */
enum { CHART_NUMBER_SIZE = 16 };
void chart_number(double number, char text[static CHART_NUMBER_SIZE]);

#endif
