#include "random.h"

#include <math.h>

uint64_t random_bits(struct random_source *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

/* In (0, 1). */
static double random_unit(struct random_source *r)
{
	return ((double)(random_bits(r) >> 11) + 0.5) / 9007199254740992.0;
}

double random_normal(struct random_source *r)
{
	double radius = sqrt(-2 * log(random_unit(r)));

	return radius * cos(2 * M_PI * random_unit(r));
}

void random_shuffle(struct random_source *r, uint32_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t k = random_bits(r) % i;
		uint32_t item = items[i - 1];

		items[i - 1] = items[k];
		items[k] = item;
	}
}
