#include "page.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <string.h>

#include "reply.h"

static const char of_the_page[] = "limit cursor offset";

/* PAGE_QUESTION bytes. */
static struct str question_of(struct request *q)
{
	return str_of(arena_printf(q->arena, "%016" PRIx64 " ", request_question(q, of_the_page)));
}

err_t page_bad_cursor(struct request *q)
{
	return err_field(q->arena, ERR_INVALID, "cursor",
			 "invalid cursor: use \"next_cursor\" of the same query");
}

static err_t read_cursor(struct request *q, struct str *ret_after)
{
	struct str cursor = request_query(q, "cursor");
	struct str question = question_of(q);
	struct str after = STR("");
	char *text;

	if (!cursor.at) {
		*ret_after = after;
		return NULL;
	}
	if (!cursor.len || cursor.len > PAGE_CURSOR_MAX)
		return page_bad_cursor(q);
	text = arena_zalloc(q->arena, cursor.len + 1, 1);
	if (sodium_base642bin((unsigned char *)text, cursor.len, cursor.at, cursor.len, NULL,
			      &after.len, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING))
		return page_bad_cursor(q);
	after.at = text;
	if (!str_starts(after, question.at) || !str_is_utf8(after) ||
	    memchr(after.at, 0, after.len))
		return page_bad_cursor(q);
	*ret_after = (struct str){ after.at + question.len, after.len - question.len };
	if (!ret_after->len)
		return page_bad_cursor(q);
	return NULL;
}

err_t page_read_limited(struct request *q, int64_t limit, int64_t limit_max, struct page *ret_page)
{
	struct page page = { .limit = 0 };
	err_t e;

	e = request_query_int(q, "limit", 1, limit_max, limit, &page.limit);
	if (!e)
		e = read_cursor(q, &page.after);
	if (e)
		return e;
	*ret_page = page;
	return NULL;
}

err_t page_read(struct request *q, struct page *ret_page)
{
	return page_read_limited(q, PAGE_LIMIT, PAGE_LIMIT_MAX, ret_page);
}

void page_begin(struct request *q, struct page *page, size_t found)
{
	page->has_more = found > (size_t)page->limit;
	page->shown = page->has_more ? (size_t)page->limit : found;
	page->out = reply_json(q);
	json_out_object(&page->out);
	json_out_key(&page->out, "items");
	json_out_array(&page->out);
}

void page_set_cursor(struct request *q, struct page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	page->position = str_of(arena_vprintf(q->arena, fmt, ap));
	va_end(ap);
}

static struct str cursor_of(struct request *q, struct str position)
{
	struct buf *text = buf_new(q->arena);
	size_t size;
	char *cursor;

	buf_add_str(text, question_of(q));
	buf_add_str(text, position);
	size = sodium_base64_encoded_len(text->len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	cursor = arena_alloc(q->arena, size);
	sodium_bin2base64(cursor, size, (const unsigned char *)text->at, text->len,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	return str_of(cursor);
}

void page_end_items(struct request *q, struct page *page)
{
	json_out_array_end(&page->out);
	if (page->position.len)
		json_out_put_text(&page->out, "next_cursor", cursor_of(q, page->position));
	else
		json_out_put_null(&page->out, "next_cursor");
}

void page_end(struct request *q, struct page *page)
{
	page_end_items(q, page);
	json_out_object_end(&page->out);
}

/* ---- lists by a number ---------------------------------------------------------------------------- */

static err_t read_number(struct request *q, struct page *page, int64_t *after)
{
	err_t e = page_read(q, page);

	if (!e && page->after.len && !str_to_int64(page->after, 0, INT32_MAX, after))
		e = page_bad_cursor(q);
	return e;
}

err_t page_list(struct request *q, int32_t before_first, page_fetch_fn *fetch, page_write_fn *write)
{
	struct page_rows rows = { .items = NULL };
	int64_t after = before_first;
	int64_t number = 0;
	struct page page;
	err_t e = read_number(q, &page, &after);

	if (!e)
		e = fetch(q, (int32_t)after, page.limit + 1, &rows);
	if (e)
		return e;
	page_begin(q, &page, rows.count);
	for (size_t i = 0; i < page.shown; i++)
		number = write(q, &page.out, &rows, i);
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64, number);
	page_end(q, &page);
	return NULL;
}
