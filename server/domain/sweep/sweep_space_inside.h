#ifndef SWEEP_SPACE_INSIDE_H
#define SWEEP_SPACE_INSIDE_H

#include "sweep_digit.h"
#include "sweep_space.h"

/* For the files of the space only. */
struct sweep_space {
	const struct sweep_config *config;
	struct sweep_digit *digits; /* of each parameter */
	size_t *order;              /* parameters, conditions after what they depend on */
	size_t *searched;           /* parameters that are dimensions */
	size_t dimensions;
	int64_t end;
	int64_t count;
	bool is_infinite;
	bool has_points;
	bool has_conditions;
	int64_t *place; /* room for the digit of each parameter */
};

/* Whether the conditions of a parameter hold; `places` has the digit of each parameter before it in the order, -1: not part. */
bool sweep_space_is_active(const struct sweep_space *s, size_t parameter, const int64_t *places)
	__attribute__((nonnull));
/* The number of points of a space with conditions. */
int64_t sweep_space_count_points(struct arena *a, const struct sweep_space *s)
	__attribute__((nonnull));

#endif
