#ifndef FORECAST_H
#define FORECAST_H

#include <stdint.h>

#include "clock.h"

/* When a disk is full, by what was used of it before and is now. */
enum {
	FORECAST_BACK_DAYS = 7,   /* how far back the rate is looked for */
	FORECAST_FURTHEST = 3650, /* days; what is later is not told */
};
#define FORECAST_DAY_US (INT64_C(86400) * 1000000)

struct forecast_sample {
	timestamp_us at;
	int64_t used_bytes;
};

struct forecast {
	int64_t days;      /* until there is no room; -1: not known, or not soon */
	int64_t rate_days; /* of which the rate is */
};

/* `before` is NULL where there is none; room_bytes may be taken still. Of less than a day there is no rate. */
struct forecast forecast_disk(const struct forecast_sample *before,
			      const struct forecast_sample *now, int64_t room_bytes);

#endif
