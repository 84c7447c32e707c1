#ifndef ALLOWANCE_H
#define ALLOWANCE_H

#include <stdint.h>

/*
 * So many times in so long, and no more: what was taken comes back evenly over the time. All that is
 * kept is the moment at which everything will be there again, so a place that is zero is a fresh one.
 * Times are microseconds of a clock that never goes back.
 */
struct allowance_rule {
	int64_t count;
	int64_t period_us;
};

struct allowance {
	int64_t full_at_us;
};

/* How long until one may be taken; 0: now. */
int64_t allowance_wait_us(const struct allowance *a, const struct allowance_rule *rule,
			  int64_t now_us);
void allowance_take(struct allowance *a, const struct allowance_rule *rule, int64_t now_us);
/* One that was taken is not counted after all. */
void allowance_give_back(struct allowance *a, const struct allowance_rule *rule);

#endif
