#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Numbers that depend on the seed alone (splitmix64), so that a training can be repeated. */
struct random_source {
	uint64_t state;
};

uint64_t random_bits(struct random_source *r);
double random_normal(struct random_source *r); /* mean 0, deviation 1 */
void random_shuffle(struct random_source *r, uint32_t *items, size_t count);

#endif
