#ifndef METRIC_BEST_API_H
#define METRIC_BEST_API_H

#include "request.h"

/* Values of metrics at the best step of another metric. */
enum {
	METRIC_BEST_RUNS_MAX = 50, /* by their ids */
	METRIC_BEST_KEYS_MAX = 16,
	METRIC_BEST_TOGETHER_MAX = 200, /* of a group */
};

err_t metric_best_api_list(struct request *q);     /* GET P/metrics/best */
err_t metric_best_api_together(struct request *q); /* GET P/metrics/best/together */

#endif
