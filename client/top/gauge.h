#ifndef GAUGE_H
#define GAUGE_H

#include <stddef.h>

#include "cells.h"

/* Small pictures of numbers in one line. */

/* A bar of `width` columns, filled to `share` (0 to 1; NaN: nothing is known). */
void gauge_bar(struct cells *cells, int x, int y, int width, double share, enum style style)
	__attribute__((nonnull));

/* The last `width` of the numbers, each as a column from `low` to `high`; NaN is a gap. */
void gauge_spark(struct cells *cells, struct box line, const float *numbers, size_t count,
		 double low, double high) __attribute__((nonnull(1)));

/* A share as a colour: good, warn from 0.7 on, bad from 0.9 on. */
enum style gauge_load(double share);

/* A horizontal line. */
void gauge_rule(struct cells *cells, int x, int y, int width, enum style style)
	__attribute__((nonnull));

#endif
