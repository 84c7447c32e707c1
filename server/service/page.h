#ifndef PAGE_H
#define PAGE_H

#include "err.h"
#include "json_out.h"
#include "request.h"

/*
 * Pages of a list: `limit` and `cursor` of the query. A cursor is opaque to clients; here it is the
 * place the page before ended at, as text of the list's own making, behind a number that stands for
 * the question it belongs to: the same path and parameters but for limit, cursor and offset.
 * PAGE_PLACE_MAX is room for the longest place of any list, search_order.h; PAGE_CURSOR_MAX is base64 of it.
 */
enum {
	PAGE_LIMIT = 100,
	PAGE_LIMIT_MAX = 1000,
	PAGE_QUESTION = 17, /* 16 hexadecimal digits and a blank */
	PAGE_PLACE_MAX = 4224,
	PAGE_CURSOR_MAX = (PAGE_QUESTION + PAGE_PLACE_MAX + 2) / 3 * 4,
};

/* The query, then the answer: {"items": […], "next_cursor": …}. */
struct page {
	int64_t limit;
	struct str after; /* the place the page before ended at; empty for the first page */

	size_t shown;  /* of the rows that were found */
	bool has_more; /* than those */
	struct str place;
	struct json_out out;
};

err_t page_read(struct request *q, struct page *ret_page) __attribute__((warn_unused_result));

/* For lists with limits of their own. */
err_t page_read_limited(struct request *q, int64_t limit, int64_t limit_max, struct page *ret_page)
	__attribute__((warn_unused_result));

/* The error of a cursor whose text is not of the list's making. */
err_t page_bad_cursor(struct request *q);

/*
 * Begins the answer; the caller writes page->shown items to page->out. It asked for page->limit + 1
 * rows, and `found` that many or fewer.
 */
void page_begin(struct request *q, struct page *page, size_t found);

/* Where the next page begins; without it there is none. Lists are made so that a place fits. */
void page_set_place(struct request *q, struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends the items and says where the next page begins; with page_end() the answer, too. */
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
