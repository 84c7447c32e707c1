#ifndef SEARCH_ORDER_H
#define SEARCH_ORDER_H

#include "json_doc.h"
#include "order.h"
#include "request.h"
#include "search.h"

/* How lists of runs are ordered, and where their pages go on, for REST and SDK. */

/*
 * The longest position behind a row: its run, and for each key the length, kind and payload of a value. A text has
 * SEARCH_VALUE_CHARS characters of up to four bytes; the database writes a number of a document without an exponent.
 */
enum {
	SEARCH_ORDER_HEAD = 21, /* "<run> " */
	SEARCH_ORDER_KIND = 16, /* "<bytes> number:" */
	SEARCH_ORDER_TEXT = 4 * SEARCH_VALUE_CHARS,
	SEARCH_ORDER_NUMBER = JSON_DOC_MAX_DIGITS + JSON_DOC_MAX_EXPONENT + 3, /* "-0." */
	SEARCH_ORDER_POSITION_MAX = SEARCH_ORDER_HEAD +
				    ORDER_KEYS_MAX * (SEARCH_ORDER_KIND + SEARCH_ORDER_TEXT),
};
_Static_assert((int)SEARCH_ORDER_NUMBER <= (int)SEARCH_ORDER_TEXT,
	       "a number is no longer than a text");

/* "-summary.loss,created_at" into the page's keys; as of search_query_filter(). */
err_t search_order_read(struct request *q, const struct search_question *question, struct str text,
			struct search_page *page) __attribute__((warn_unused_result));
/* The same of metrics, too, which have no path in the page: metric_order.h puts them in order. */
err_t search_order_read_metrics(struct request *q, const struct search_question *question,
				struct str text, struct search_page *page, struct order *ret_order)
	__attribute__((warn_unused_result));
/* The order has at least one key. */
void search_order_set(const struct order *order, struct search_page *page);

/* The position behind a row: its run, and its value under each key, so that a page goes on there whatever changes. */
const char *search_order_position(struct request *q, const struct search_found_run *row,
				  size_t more_count);
/* Reads the position into the cursor of a page with these keys; false: it is not valid for them. */
bool search_order_take_position(struct request *q, struct str position, struct search_page *page)
	__attribute__((warn_unused_result));

#endif
