#ifndef WANDB_ROUTES_H
#define WANDB_ROUTES_H

#include "route.h"

struct arena;

/*
 * The second front door: paths that the wandb SDK calls when its base URL is this server. They stand
 * beside those of the API (routes.h); what they answer is the SDK's protocol, not the contract.
 */
extern const struct route wandb_routes[];
extern const size_t wandb_route_count;

/* Both doors as one table. */
const struct route *wandb_routes_beside(struct arena *a, const struct route *others, size_t count,
					size_t *ret_count) __attribute__((nonnull));

#endif
