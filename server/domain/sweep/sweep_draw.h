#ifndef SWEEP_DRAW_H
#define SWEEP_DRAW_H

#include <stdint.h>

/*
 * Random numbers of a trial. They depend only on the sweep's seed, the number of the trial and how many were drawn before, so
 * one seed gives the same trials on any server, whichever thread or machine asks.
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011): the key is
 * the seed, the counter the trial and the number of the block; a block gives two draws. Its published vectors are in the tests.
 */
struct sweep_draw {
	uint64_t seed;
	uint64_t trial;
	uint64_t drawn;
};

struct sweep_draw sweep_draw_begin(int64_t seed, int64_t trial);
uint64_t sweep_draw_bits(struct sweep_draw *d) __attribute__((nonnull));
/* Uniform: (k + 1/2) / 2^52, so from 2^-53 to 1 - 2^-53, never 0 or 1. */
double sweep_draw_unit(struct sweep_draw *d) __attribute__((nonnull));
/* Uniform from 0 to count - 1, without bias; count > 0. */
uint64_t sweep_draw_below(struct sweep_draw *d, uint64_t count) __attribute__((nonnull));

/* One block, for tests. */
void sweep_philox(const uint32_t counter[static 4], const uint32_t key[static 2],
		  uint32_t out[static 4]);

#endif
