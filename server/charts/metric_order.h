#ifndef METRIC_ORDER_H
#define METRIC_ORDER_H

#include "order.h"
#include "request.h"
#include "search.h"

/*
 * Lists of runs ordered by summaries of metrics over their histories: min(loss). The statistics are not in the searched
 * documents. So those of all runs that the filter finds are read, at most METRIC_ORDER_RUNS.
 */
enum { METRIC_ORDER_RUNS = 10000 };

bool metric_order_has_any(const struct order *order);

/* Finds a page in the order of search_order_read_metrics(). ERR_UNPROCESSABLE for "order": beyond the limit. */
err_t metric_order_page(struct request *q, const struct search_question *question,
			const struct order *order, const struct search_page *page,
			struct search_page_found *ret_found) __attribute__((warn_unused_result));

#endif
