#ifndef DISK_FORECAST_H
#define DISK_FORECAST_H

#include <stdint.h>

#include "clock.h"

/* The date when a disk is full, from its use before and now. */
enum {
	DISK_FORECAST_BACK_DAYS = 7,   /* how far back the rate is looked for */
	DISK_FORECAST_FURTHEST = 3650, /* days; a later date is not reported */
};
#define DISK_FORECAST_DAY_US (INT64_C(86400) * 1000000)

struct disk_forecast_sample {
	timestamp_us at;
	int64_t used_bytes;
};

struct disk_forecast {
	int64_t days;      /* until there is no room; -1: not known, or not soon */
	int64_t rate_days; /* of which the rate is */
};

/*
 * `before` is NULL if there is none; room_bytes is the free space. Less than a day gives no rate.
 */
struct disk_forecast disk_forecast_of(const struct disk_forecast_sample *before,
				      const struct disk_forecast_sample *now, int64_t room_bytes);

#endif
