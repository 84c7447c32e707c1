#ifndef PAGE_H
#define PAGE_H

#include "err.h"
#include "json_out.h"
#include "request.h"

/*
 * Pages of a list: `limit` and `cursor` of the query. A cursor is opaque to clients; here it is the
 * place the page before ended at, as text of the list's own making, behind a number that stands for
 * the question it belongs to: the same path and parameters but for limit and cursor.
 */
enum { PAGE_LIMIT = 100, PAGE_LIMIT_MAX = 1000, PAGE_CURSOR_MAX = 2048, PAGE_PLACE_MAX = 1400 };

struct page {
	int64_t limit;
	struct str after; /* what page_end() was given; empty for the first page */
};

err_t page_read(struct request *q, struct page *ret_page) __attribute__((warn_unused_result));

/* The cursor alone, for lists with a limit of their own; empty for the first page. */
err_t page_read_cursor(struct request *q, struct str *ret_after)
	__attribute__((warn_unused_result));

/* The error of a cursor whose text is not of the list's making. */
err_t page_bad_cursor(struct request *q);

/*
 * Writes the member next_cursor: null when `last` is empty, which says that the list has ended. It
 * has at most PAGE_PLACE_MAX bytes.
 */
void page_put_next(struct json_out *o, struct request *q, struct str last);

#endif
