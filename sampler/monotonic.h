/* monotonic.h - the clock that never jumps, in nanoseconds. */
#ifndef CAIRN_SAMPLER_MONOTONIC_H
#define CAIRN_SAMPLER_MONOTONIC_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

static inline uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline struct timespec monotonic_timespec(uint64_t time_ns)
{
	return (struct timespec){ .tv_sec = (time_t)(time_ns / NS_PER_S),
				  .tv_nsec = (long)(time_ns % NS_PER_S) };
}

#endif
