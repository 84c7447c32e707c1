#ifndef STEP_CLOCK_H
#define STEP_CLOCK_H

#include "sample.h"

/*
 * At which step a run was at a time: the greatest that any row up to then has, so it never goes back.
 * Between two marks it goes on evenly, in whole steps. Before the first mark and behind the last a run
 * is at no step.
 */
struct clock_mark {
	int64_t time; /* microseconds since 1970 */
	int64_t step;
};

struct step_clock {
	struct clock_mark *marks; /* neither times nor steps go back */
	size_t count;             /* 0: no row, no step */
};

/* Of buckets of seconds since 1970 over steps, in order of steps. */
struct step_clock step_clock_make(struct arena *a, const struct bucket *buckets, uint32_t count)
	__attribute__((nonnull(1)));

/* Of a clock with marks: the step at a time; of one before or behind all marks that of the nearest. */
int64_t step_clock_step(const struct step_clock *c, int64_t time) __attribute__((nonnull));

/* And the first time at which it is at the step or further; INT64_MAX: it never came so far. */
int64_t step_clock_time(const struct step_clock *c, int64_t step) __attribute__((nonnull));

#endif
