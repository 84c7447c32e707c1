#include "page.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static const char *const of_the_page[] = { "limit", "cursor", NULL };

/* 16 hexadecimal digits and a blank. */
static struct str question_of(struct request *q)
{
	return str_of(arena_printf(q->arena, "%016" PRIx64 " ", request_question(q, of_the_page)));
}

err_t page_bad_cursor(struct request *q)
{
	return err_field(q->arena, ERR_INVALID, "cursor",
			 "this is no \"next_cursor\" of this list");
}

err_t page_read_cursor(struct request *q, struct str *ret_after)
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

err_t page_read(struct request *q, struct page *ret_page)
{
	err_t e = request_query_int(q, "limit", 1, PAGE_LIMIT_MAX, PAGE_LIMIT, &ret_page->limit);

	return e ? e : page_read_cursor(q, &ret_page->after);
}

void page_put_next(struct json_out *o, struct request *q, struct str last)
{
	struct str place;
	size_t size;
	char *text;

	assert(last.len <= PAGE_PLACE_MAX);

	if (!last.len) {
		json_out_put_null(o, "next_cursor");
		return;
	}
	place = str_of(arena_printf(q->arena, "%.*s%.*s", STR_ARG(question_of(q)), STR_ARG(last)));
	size = sodium_base64_encoded_len(place.len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	text = arena_alloc(q->arena, size);
	sodium_bin2base64(text, size, (const unsigned char *)place.at, place.len,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	json_out_put_text(o, "next_cursor", str_of(text));
}
