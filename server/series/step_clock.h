#ifndef STEP_CLOCK_H
#define STEP_CLOCK_H

#include "sample.h"

/*
 * The step of a run at a time: the greatest that any row up to then has,
 * so it never goes back. Between two points it advances evenly, in whole
 * steps. Before the first point and after the last a run is at no step.
 */
struct clock_point {
	int64_t time; /* microseconds since 1970 */
	int64_t step;
};

struct step_clock {
	struct clock_point *points; /* neither times nor steps go back */
	size_t count;               /* 0: no row, no step */
};

/* Makes a clock of buckets of seconds since 1970 over steps, in order of steps. */
struct step_clock step_clock_make(struct arena *a, const struct bucket *buckets, uint32_t count)
	__attribute__((nonnull(1)));

/* For a clock with points: the step at a time; before or after all points, that of the nearest. */
int64_t step_clock_step(const struct step_clock *c, int64_t time) __attribute__((nonnull));

/* The first time at which it is at the step or further; INT64_MAX: it never got so far. */
int64_t step_clock_time(const struct step_clock *c, int64_t step) __attribute__((nonnull));

#endif
