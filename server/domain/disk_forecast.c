#include "disk_forecast.h"

#include <stddef.h>

static const struct disk_forecast unknown = { .days = -1 };

struct disk_forecast disk_forecast_of(const struct disk_forecast_sample *before,
				      const struct disk_forecast_sample *now, int64_t room_bytes)
{
	int64_t past_us = before ? now->at.us - before->at.us : 0;
	int64_t more_bytes = before ? now->used_bytes - before->used_bytes : 0;
	double days;

	if (past_us < DISK_FORECAST_DAY_US || more_bytes <= 0)
		return unknown;
	days = (double)(room_bytes > 0 ? room_bytes : 0) / (double)more_bytes *
	       ((double)past_us / DISK_FORECAST_DAY_US);
	if (days > DISK_FORECAST_FURTHEST)
		return unknown;
	return (struct disk_forecast){
		.days = (int64_t)days,
		.rate_days = (past_us + DISK_FORECAST_DAY_US / 2) / DISK_FORECAST_DAY_US,
	};
}
