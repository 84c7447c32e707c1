/*
 * counter.h - a kernel counter turned into "since the sampler began", which never goes backwards.
 *
 * A counter lower than before was reset (its device went and came back): it counts from zero.
 */
#ifndef CAIRN_SAMPLER_COUNTER_H
#define CAIRN_SAMPLER_COUNTER_H

#include <stdint.h>

struct counter {
	uint64_t last;
	uint64_t since_start;
};

static inline void counter_begin(struct counter *c, uint64_t reading)
{
	c->last = reading;
	c->since_start = 0;
}

/* Returns what was added. */
static inline uint64_t counter_update(struct counter *c, uint64_t reading)
{
	uint64_t grown = reading >= c->last ? reading - c->last : reading;

	c->last = reading;
	c->since_start += grown;
	return grown;
}

#endif
