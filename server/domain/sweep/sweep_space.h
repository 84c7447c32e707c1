#ifndef SWEEP_SPACE_H
#define SWEEP_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"
#include "sweep_config.h"
#include "sweep_value.h"

struct arena;

/*
 * The space that a config describes.
 *
 * Values of a point: one for each parameter of the config, in its order, SWEEP_ABSENT where its condition does not hold.
 *
 * Coordinates of a point: one in (0, 1) for each searched parameter (all but constants), in the order of parameters; the value is
 * the inverse of the distribution function there.
 *
 * A space is finite when all searched parameters are: categorical, int_uniform, and q_uniform, q_log_uniform,
 * q_log_uniform_values and q_beta. Then each point has an index: mixed radix over the parameters, the last one fastest, those
 * with conditions after those they depend on. Where a condition does not hold, the digit is 0: with conditions not every number is
 * a point. A grid has other values of q_uniform than the other methods: see sweep_grid.h.
 */
struct sweep_space;

#define SWEEP_COUNT_INFINITE INT64_C(-1)
/* As many or more, or not known, since very many conditions depend on each other. There are no indexes from that many numbers on. */
#define SWEEP_COUNT_MAX (INT64_C(1) << 62)
#define SWEEP_POINT_NONE INT64_C(-1)

/* The config must have been read without errors, and must live as long as the space. */
struct sweep_space *sweep_space_new(struct arena *a, const struct sweep_config *c)
	__attribute__((nonnull, returns_nonnull));

/* The number of different points; SWEEP_COUNT_INFINITE, SWEEP_COUNT_MAX when there are more. 1 if there are only constants. */
int64_t sweep_space_count(const struct sweep_space *s) __attribute__((nonnull));
/* Points have indexes: the space is finite, and its indexes are below SWEEP_COUNT_MAX. */
bool sweep_space_has_points(const struct sweep_space *s) __attribute__((nonnull));
/* All indexes are below this. */
int64_t sweep_space_end(const struct sweep_space *s) __attribute__((nonnull));
const struct sweep_config *sweep_space_config(const struct sweep_space *s) __attribute__((nonnull));
size_t sweep_space_dimensions(const struct sweep_space *s) __attribute__((nonnull));
/* The parameter (its place in the config) that a dimension belongs to. */
size_t sweep_space_parameter(const struct sweep_space *s, size_t dimension)
	__attribute__((nonnull));

/* From the index of a point to its values (parameter_count of them), and the least point that is not below `from`; SWEEP_POINT_NONE:
 * there is none. */
void sweep_space_values(const struct sweep_space *s, int64_t point, struct sweep_value *ret_values)
	__attribute__((nonnull));
int64_t sweep_space_from(const struct sweep_space *s, int64_t from) __attribute__((nonnull));
/* The greatest point that is not above `from`. */
int64_t sweep_space_before(const struct sweep_space *s, int64_t from) __attribute__((nonnull));

/* From coordinates to values; conditions are applied. Text of values lives as long as the config. */
void sweep_space_draw(const struct sweep_space *s, const double *u, struct sweep_value *ret_values)
	__attribute__((nonnull));
/* The index of the values; SWEEP_POINT_NONE: no point has them. */
int64_t sweep_space_point(const struct sweep_space *s, const struct sweep_value *values)
	__attribute__((nonnull));

/* Which parameters are part of the point that has these values: whether their conditions hold. */
void sweep_space_parts(const struct sweep_space *s, const struct sweep_value *values, bool *ret_has)
	__attribute__((nonnull));
/*
 * Values of the parameters in an object as it was delivered ({"lr": 0.1, "opt": {"name": "sgd"}}). One that is not there becomes
 * SWEEP_ABSENT; other members are ignored.
 */
void sweep_space_find(const struct sweep_space *s, const struct sweep_value *params,
		      struct sweep_value *ret_values) __attribute__((nonnull));
/* The point of such an object; SWEEP_POINT_NONE: none. */
int64_t sweep_space_point_of(const struct sweep_space *s, const struct sweep_value *params)
	__attribute__((nonnull));
/* The object as delivered, as JSON (sweep_value_write()): nested names are objects again. */
struct str sweep_space_params(struct arena *a, const struct sweep_space *s,
			      const struct sweep_value *values) __attribute__((nonnull));
/* The same as "args" of the SDK's commands: {"lr": {"value": 0.1}}. */
struct str sweep_space_args(struct arena *a, const struct sweep_space *s,
			    const struct sweep_value *values) __attribute__((nonnull));

/*
 * One parameter. The inverse of its distribution function: u is first moved into [2^-53, 1 - 2^-53], and results of bounded kinds
 * into the bounds. Quantised: the value divided by q, rounded half to even, times q; so it may leave the bounds by less than q.
 */
void sweep_parameter_draw(const struct sweep_parameter *p, double u, struct sweep_value *ret_value)
	__attribute__((nonnull));
/*
 * Its distribution function at a value, from 0 to 1; of quantised kinds that of the kind without q; of values of a list, the
 * sum of the probabilities up to it. False: the value is not in the list, or not a number.
 */
bool sweep_parameter_cdf(const struct sweep_parameter *p, const struct sweep_value *v,
			 double *ret_cdf) __attribute__((nonnull));

/* Kinds with q: the number of steps of q at u, and the value that many steps have. */
bool sweep_parameter_is_quantised(const struct sweep_parameter *p) __attribute__((nonnull));
double sweep_parameter_steps(const struct sweep_parameter *p, double u) __attribute__((nonnull));
void sweep_parameter_step(const struct sweep_parameter *p, double steps,
			  struct sweep_value *ret_value) __attribute__((nonnull));

#endif
