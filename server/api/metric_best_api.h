#ifndef METRIC_BEST_API_H
#define METRIC_BEST_API_H

#include "request.h"

/* What metrics were at the best step of another. */
enum {
	METRIC_BEST_RUNS_MAX = 50,
	METRIC_BEST_KEYS_MAX = 16,
};

err_t metric_best_api_list(struct request *q); /* GET P/metrics/best */

#endif
