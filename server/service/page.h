#ifndef PAGE_H
#define PAGE_H

#include "err.h"
#include "json_out.h"
#include "request.h"

/*
 * Pages of a list: `limit` and `cursor` of the query. A cursor is opaque to clients. It is base64 of a number for the
 * question that it belongs to (the path and all parameters except limit, cursor and offset) and of a position: where
 * the page before ended, as text that the list defines. PAGE_POSITION_MAX is room for the longest position of any list
 * (search_order.h), PAGE_CURSOR_MAX is its base64.
 */
enum {
	PAGE_LIMIT = 100,
	PAGE_LIMIT_MAX = 1000,
	PAGE_QUESTION = 17, /* 16 hexadecimal digits and a blank */
	PAGE_POSITION_MAX = 4224,
	PAGE_CURSOR_MAX = (PAGE_QUESTION + PAGE_POSITION_MAX + 2) / 3 * 4,
};

/* The query, then the answer: {"items": […], "next_cursor": …}. */
struct page {
	int64_t limit;
	struct str after; /* the position where the page before ended; empty for the first page */

	size_t shown;  /* rows of this page */
	bool has_more; /* more rows follow */
	struct str position;
	struct json_out out;
};

err_t page_read(struct request *q, struct page *ret_page) __attribute__((warn_unused_result));

/* For lists with limits of their own. */
err_t page_read_limited(struct request *q, int64_t limit, int64_t limit_max, struct page *ret_page)
	__attribute__((warn_unused_result));

/* Returns the error of a cursor that is not valid for the list. */
err_t page_bad_cursor(struct request *q);

/*
 * Begins the answer. The caller asked for page->limit + 1 rows, found that many or fewer, and writes page->shown items
 * to page->out.
 */
void page_begin(struct request *q, struct page *page, size_t found);

/* Sets the position where the next page begins. Without it there is no next page. */
void page_set_cursor(struct request *q, struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends the items and writes the cursor of the next page. page_end() also ends the answer. */
void page_end_items(struct request *q, struct page *page);
void page_end(struct request *q, struct page *page);

/* ---- lists by a number ---- */

/* The rows of a page. `shared` is what the writer of each row needs too; NULL: nothing. */
struct page_rows {
	const void *items;
	size_t count;
	const void *shared;
};

/* Finds at most `limit` rows with numbers above `after`, in their order. */
typedef err_t page_fetch_fn(struct request *q, int32_t after, int64_t limit,
			    struct page_rows *ret_rows);
/* Writes a row. Returns its number. */
typedef int64_t page_write_fn(struct request *q, struct json_out *o, const struct page_rows *rows,
			      size_t row);

/* Answers with a page of a list by a number. `before_first` is `after` of the first page. */
err_t page_list(struct request *q, int32_t before_first, page_fetch_fn *fetch, page_write_fn *write)
	__attribute__((warn_unused_result));

#endif
