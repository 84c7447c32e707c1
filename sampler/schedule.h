/*
 * schedule.h - when rows are taken: one within a second of the start, then once an interval.
 *
 * Times are multiples of the interval after the start, so they do not drift; those that were
 * missed, by sleep of the machine or a slow reader, are left out.
 */
#ifndef CAIRN_SAMPLER_SCHEDULE_H
#define CAIRN_SAMPLER_SCHEDULE_H

#include "monotonic.h"

struct schedule {
	uint64_t start_ns;
	uint64_t interval_ns;
};

/* The first time after `now_ns`. */
static inline uint64_t schedule_next(const struct schedule *schedule, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - schedule->start_ns;

	if (elapsed_ns < NS_PER_S && schedule->interval_ns > NS_PER_S)
		return schedule->start_ns + NS_PER_S;
	return schedule->start_ns +
	       (elapsed_ns / schedule->interval_ns + 1) * schedule->interval_ns;
}

#endif
