#include "alert.h"

enum { FIRST_WAIT_S = 10, FACTOR = 3, LONGEST_WAIT_S = 3600 };

static const char *const levels[] = { "", "info", "warn", "error" };
static const char *const deliveries[] = { "nowhere", "waiting", "sent", "given-up" };

const char *alert_level_name(int level)
{
	return level >= ALERT_INFO && level <= ALERT_ERROR ? levels[level] : "none";
}

bool alert_level_parse(struct str text, enum alert_level *ret_level)
{
	for (int i = ALERT_INFO; i <= ALERT_ERROR; i++) {
		if (str_is(text, levels[i])) {
			*ret_level = (enum alert_level)i;
			return true;
		}
	}
	return false;
}

const char *alert_delivery_name(int delivery)
{
	return delivery >= ALERT_NOWHERE && delivery <= ALERT_GIVEN_UP ? deliveries[delivery]
								       : "none";
}

bool alert_is_repeat(timestamp_us last, int64_t wait_us, timestamp_us now)
{
	return last.us && now.us - last.us < wait_us;
}

static int64_t wait_us(int32_t tries)
{
	int64_t wait_s = FIRST_WAIT_S;

	while (--tries > 0 && wait_s < LONGEST_WAIT_S)
		wait_s *= FACTOR;
	return (wait_s < LONGEST_WAIT_S ? wait_s : LONGEST_WAIT_S) * INT64_C(1000000);
}

bool alert_try_again(const struct alert *alert, timestamp_us now, timestamp_us *ret_at)
{
	ret_at->us = now.us + wait_us(alert->tries);
	return now.us - alert->created_at.us < ALERT_TRIED_FOR_US;
}

struct str alert_fault_shown(struct str fault)
{
	bool is_of_name = str_is(fault, "no-such-host") || str_is(fault, "address-not-allowed");

	return is_of_name ? STR("no-address") : fault;
}
