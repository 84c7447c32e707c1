#ifndef RATE_LIMIT_H
#define RATE_LIMIT_H

#include <stdint.h>

/*
 * A rate limit: so many in a period, which are refilled evenly over it. The only state is the
 * moment at which all will be available again, so a zeroed struct is a full one. Times are
 * microseconds of a clock that never goes back.
 */
struct rate_limit_rule {
	int64_t count;
	int64_t period_us;
};

struct rate_limit {
	int64_t full_at_us;
};

/* How long until one is available; 0: now. */
int64_t rate_limit_wait_us(const struct rate_limit *limit, const struct rate_limit_rule *rule,
			   int64_t now_us);
void rate_limit_take(struct rate_limit *limit, const struct rate_limit_rule *rule, int64_t now_us);
/* Does not count one that was taken, after all. */
void rate_limit_give_back(struct rate_limit *limit, const struct rate_limit_rule *rule);

#endif
