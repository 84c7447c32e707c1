#include "forecast.h"

#include <stddef.h>

static const struct forecast unknown = { .days = -1 };

struct forecast forecast_disk(const struct forecast_sample *before,
			      const struct forecast_sample *now, int64_t room_bytes)
{
	int64_t past_us = before ? now->at.us - before->at.us : 0;
	int64_t more_bytes = before ? now->used_bytes - before->used_bytes : 0;
	double days;

	if (past_us < FORECAST_DAY_US || more_bytes <= 0)
		return unknown;
	days = (double)(room_bytes > 0 ? room_bytes : 0) / (double)more_bytes *
	       ((double)past_us / FORECAST_DAY_US);
	if (days > FORECAST_FURTHEST)
		return unknown;
	return (struct forecast){
		.days = (int64_t)days,
		.rate_days = (past_us + FORECAST_DAY_US / 2) / FORECAST_DAY_US,
	};
}
