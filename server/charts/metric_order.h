#ifndef METRIC_ORDER_H
#define METRIC_ORDER_H

#include "order.h"
#include "request.h"
#include "search.h"

/*
 * Lists of runs by what metrics were over their histories: min(loss). Statistics lie with the runs, not in what is
 * searched, so all that the filter finds are read, and no more than METRIC_ORDER_RUNS of them.
 */
enum { METRIC_ORDER_RUNS = 10000 };

bool metric_order_has_any(const struct order *order);

/* A page with the order's keys, as of search_order_read_metrics(). ERR_UNPROCESSABLE of "order" beyond the limit. */
err_t metric_order_page(struct request *q, const struct search_question *question,
			const struct order *order, const struct search_page *page,
			struct search_page_found *ret_found) __attribute__((warn_unused_result));

#endif
