#ifndef SEARCH_ORDER_H
#define SEARCH_ORDER_H

#include "order.h"
#include "request.h"
#include "search.h"

/* How lists of runs are ordered, and where their pages go on: of both front doors. */

/* "-summary.loss,created_at" into the page's keys. */
err_t search_order_read(struct arena *a, struct str text, struct search_page *page)
	__attribute__((warn_unused_result));
/* The same of metrics, too, which have no path in the page: metric_order.h puts them in order. */
err_t search_order_read_metrics(struct arena *a, struct str text, struct search_page *page,
				struct order *ret_order) __attribute__((warn_unused_result));
/* At least one key. */
void search_order_set(const struct order *order, struct search_page *page);

/* The place behind a row: its run, and its value under each key, so that a page goes on there whatever changes. */
const char *search_order_place(struct request *q, const struct search_found_run *row,
			       size_t more_count);
/* The cursor of a page with its keys; false: the place is none of theirs. */
bool search_order_take_place(struct request *q, struct str place, struct search_page *page)
	__attribute__((warn_unused_result));

#endif
