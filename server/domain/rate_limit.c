#include "rate_limit.h"

static int64_t share_of_one(const struct rate_limit_rule *rule)
{
	return rule->period_us / rule->count;
}

static int64_t begin(const struct rate_limit *limit, int64_t now_us)
{
	return limit->full_at_us > now_us ? limit->full_at_us : now_us;
}

int64_t rate_limit_wait_us(const struct rate_limit *limit, const struct rate_limit_rule *rule,
			   int64_t now_us)
{
	/* By the shares of all, not by the period, which they do not quite fill. */
	int64_t most = share_of_one(rule) * rule->count;
	int64_t wait_us = begin(limit, now_us) + share_of_one(rule) - now_us - most;

	return wait_us > 0 ? wait_us : 0;
}

void rate_limit_take(struct rate_limit *limit, const struct rate_limit_rule *rule, int64_t now_us)
{
	limit->full_at_us = begin(limit, now_us) + share_of_one(rule);
}

void rate_limit_give_back(struct rate_limit *limit, const struct rate_limit_rule *rule)
{
	limit->full_at_us -= share_of_one(rule);
}
