#ifndef SWEEP_GRID_H
#define SWEEP_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "sweep_space.h"

/*
 * A grid gives its points in the order of their indexes. Its values of int_uniform are min to max; of q_uniform
 * ceil((max - min) / q) values min + i d, d = (min + q) - min, without max and without rounding, as wandb has it: 1 to 2 by 0.1
 * has 1.2000000000000002. All of them integers if min, max and q are. Of values that are equal (sweep_value_equal()) the place is
 * that of the first and the value delivered that of the last.
 *
 * 10^12 points are never enumerated: the next one is found from those that are taken.
 */

/* The values of a q_uniform in a grid: how many, and the one at an index. */
int64_t sweep_grid_steps(const struct sweep_parameter *p) __attribute__((nonnull));
void sweep_grid_step(const struct sweep_parameter *p, int64_t index, struct sweep_value *ret_value)
	__attribute__((nonnull));

/* The least point that is not among `taken` (ascending, equal ones allowed); SWEEP_POINT_NONE: none. */
int64_t sweep_grid_next(const struct sweep_space *s, const int64_t *taken, size_t count)
	__attribute__((nonnull(1)));
/* The point nearest to `point` that is not taken, the lower one of two; SWEEP_POINT_NONE: none. */
int64_t sweep_grid_nearest(const struct sweep_space *s, const int64_t *taken, size_t count,
			   int64_t point) __attribute__((nonnull(1)));

#endif
