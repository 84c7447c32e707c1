#include "allowance.h"

static int64_t share_of_one(const struct allowance_rule *rule)
{
	return rule->period_us / rule->count;
}

static int64_t begin(const struct allowance *a, int64_t now_us)
{
	return a->full_at_us > now_us ? a->full_at_us : now_us;
}

int64_t allowance_wait_us(const struct allowance *a, const struct allowance_rule *rule,
			  int64_t now_us)
{
	/* By the shares of all, not by the period, which they do not quite fill. */
	int64_t most = share_of_one(rule) * rule->count;
	int64_t wait_us = begin(a, now_us) + share_of_one(rule) - now_us - most;

	return wait_us > 0 ? wait_us : 0;
}

void allowance_take(struct allowance *a, const struct allowance_rule *rule, int64_t now_us)
{
	a->full_at_us = begin(a, now_us) + share_of_one(rule);
}

void allowance_give_back(struct allowance *a, const struct allowance_rule *rule)
{
	a->full_at_us -= share_of_one(rule);
}
