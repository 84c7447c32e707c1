#ifndef ALLOWANCE_H
#define ALLOWANCE_H

#include <stdint.h>

/*
 * A rate limit: so many in a period, which are refilled evenly over it. The only state is the
 * moment at which all will be available again, so a zeroed struct is a full one. Times are
 * microseconds of a clock that never goes back.
 */
struct allowance_rule {
	int64_t count;
	int64_t period_us;
};

struct allowance {
	int64_t full_at_us;
};

/* How long until one is available; 0: now. */
int64_t allowance_wait_us(const struct allowance *a, const struct allowance_rule *rule,
			  int64_t now_us);
void allowance_take(struct allowance *a, const struct allowance_rule *rule, int64_t now_us);
/* Does not count one that was taken, after all. */
void allowance_give_back(struct allowance *a, const struct allowance_rule *rule);

#endif
