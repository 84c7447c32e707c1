#include "page.h"

#include <sodium.h>

err_t page_bad_cursor(struct request *q)
{
	return err_field(q->arena, ERR_INVALID, "cursor",
			 "this is no \"next_cursor\" of this list");
}

err_t page_read_cursor(struct request *q, struct str *ret_after)
{
	struct str cursor = request_query(q, "cursor");
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
	if (!after.len || !str_is_utf8(after) || str_has_control(after))
		return page_bad_cursor(q);
	*ret_after = after;
	return NULL;
}

err_t page_read(struct request *q, struct page *ret_page)
{
	err_t e = request_query_int(q, "limit", 1, PAGE_LIMIT_MAX, PAGE_LIMIT, &ret_page->limit);

	return e ? e : page_read_cursor(q, &ret_page->after);
}

void page_put_next(struct json_out *o, struct request *q, struct str last)
{
	size_t size = sodium_base64_encoded_len(last.len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	char *text;

	if (!last.len) {
		json_out_put_null(o, "next_cursor");
		return;
	}
	text = arena_alloc(q->arena, size);
	sodium_bin2base64(text, size, (const unsigned char *)last.at, last.len,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	json_out_put_text(o, "next_cursor", str_of(text));
}
