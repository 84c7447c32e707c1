#ifndef METRIC_API_H
#define METRIC_API_H

#include "request.h"

/* Summaries of metrics over the histories of runs: last, least, greatest, mean. */
enum {
	METRIC_KEYS_MAX = 64,
	METRIC_RUNS_MAX = 200,      /* by their ids */
	METRIC_TOGETHER_MAX = 1000, /* of a group */
};

err_t metric_api_list(struct request *q);     /* GET P/metrics */
err_t metric_api_together(struct request *q); /* GET P/metrics/together */

#endif
