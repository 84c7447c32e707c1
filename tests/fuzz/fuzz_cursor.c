/*
 * Cursors of lists of runs. From the input as values of runs, long and of any bytes, a position is made: it fits
 * into a cursor, and is read as the same values in the same order. The input itself as a position is refused or
 * read, and what was read is written again as it was.
 */
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "json_doc.h"
#include "page.h"
#include "search_order.h"
#include "value.h"

/* The input: how many keys, then of each key a kind, how often its bytes come, and how many they are. */
enum { KIND, TIMES, BYTES, HEAD };

/* Bytes that are not UTF-8 and NUL have no document. */
static struct str text_of(struct arena *a, struct str bytes, unsigned times)
{
	struct buf *text = buf_new(a);

	for (unsigned i = 0; i <= times * 8; i++)
		buf_add_str(text, bytes);
	if (!str_is_utf8(buf_str(text)) || memchr(text->at ? text->at : "", 0, text->len))
		return STR("no text");
	return buf_str(text);
}

/* A number as the database writes what a document may have: its digits, in front of them up to 400 zeros. */
static struct str number_of(struct arena *a, struct str bytes, unsigned times)
{
	struct buf *text = buf_new(a);
	size_t digits = 1 + times * 2;

	if (digits > JSON_DOC_MAX_DIGITS)
		digits = JSON_DOC_MAX_DIGITS;
	if (bytes.len && bytes.at[0] & 1)
		buf_add_byte(text, '-');
	if (bytes.len && bytes.at[0] & 2) {
		buf_add_text(text, "0.");
		for (unsigned i = 0; i < JSON_DOC_MAX_EXPONENT; i++)
			buf_add_byte(text, '0');
	}
	for (size_t i = 0; i < digits; i++)
		buf_add_byte(
			text,
			(char)('1' + (bytes.len ? (unsigned char)bytes.at[i % bytes.len] : i) % 9));
	return buf_str(text);
}

static struct value take_value(struct arena *a, struct str *rest)
{
	const uint8_t *head = (const uint8_t *)rest->at;
	struct value v = { .rank = SEARCH_RANK_NONE };
	struct str bytes;
	struct decimal d;

	if (rest->len < HEAD)
		return v;
	v.rank = (int16_t)(SEARCH_RANK_NULL + head[KIND] % SEARCH_RANK_NONE);
	bytes = (struct str){ rest->at + HEAD, rest->len - HEAD };
	if (bytes.len > head[BYTES])
		bytes.len = head[BYTES];
	*rest = (struct str){ bytes.at + bytes.len, rest->len - HEAD - bytes.len };
	switch (v.rank) {
	case SEARCH_RANK_NUMBER:
		d = decimal_read(number_of(a, bytes, head[TIMES]));
		return (struct value){ SEARCH_RANK_NUMBER, d.is_plain, d.nearest, d.text };
	case SEARCH_RANK_BOOL:
		v.text = head[TIMES] % 2 ? STR("true") : STR("false");
		return v;
	case SEARCH_RANK_NULL:
	case SEARCH_RANK_NONE:
		return v;
	default:
		v.text = text_of(a, bytes, head[TIMES]);
		return v;
	}
}

static void check_same(struct arena *a, const struct search_value *read, const struct value *value)
{
	const struct search_value written = value_write(a, value);
	const struct value again = value_read(read);

	FUZZ_CHECK(read->rank == written.rank);
	FUZZ_CHECK(str_equal(read->text, written.text) && str_equal(read->number, written.number));
	FUZZ_CHECK(!value_compare(&again, value));
}

static void check_values(struct request *q, struct str bytes)
{
	struct search_found_run row = { .run_id = INT64_MAX };
	struct search_page page = { .more_count = 0 };
	struct value values[ORDER_KEYS_MAX];
	struct str position;

	if (bytes.len) {
		page.more_count = (uint8_t)bytes.at[0] % ORDER_KEYS_MAX;
		bytes = (struct str){ bytes.at + 1, bytes.len - 1 };
	}
	for (size_t i = 0; i <= page.more_count; i++) {
		values[i] = take_value(q->arena, &bytes);
		*(i ? &row.more[i - 1] : &row.value) = value_write(q->arena, &values[i]);
	}
	position = str_of(search_order_position(q, &row, page.more_count));
	FUZZ_CHECK(position.len <= SEARCH_ORDER_POSITION_MAX);
	FUZZ_CHECK(search_order_take_position(q, position, &page));
	FUZZ_CHECK(page.has_cursor && page.cursor_run_id == INT64_MAX);
	for (size_t i = 0; i <= page.more_count; i++)
		check_same(q->arena, i ? &page.cursor_more[i - 1] : &page.cursor, &values[i]);
}

static void check_place(struct request *q, struct str bytes)
{
	struct search_found_run row;
	struct search_page page = { .more_count = 0 };

	for (; page.more_count <= SEARCH_ORDERS_MORE; page.more_count++) {
		if (!search_order_take_position(q, bytes, &page))
			continue;
		row = (struct search_found_run){ .run_id = page.cursor_run_id,
						 .value = page.cursor };
		memcpy(row.more, page.cursor_more, sizeof(row.more));
		FUZZ_CHECK(search_order_take_position(
			q, str_of(search_order_position(q, &row, page.more_count)), &page));
		FUZZ_CHECK(page.cursor_run_id == row.run_id && page.cursor.rank == row.value.rank);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	struct request q = { .arena = a };
	struct str bytes = { size ? (const char *)data : "", size };

	check_values(&q, bytes);
	check_place(&q, bytes);
	arena_free(a);
	return 0;
}

/* Four keys of the longest texts, of the longest numbers, one of each kind; places. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
#define WIDE "\x01\x1f\x04\xf0\x9f\x90\x9f"
#define LONG "\x02\xff\x01\x03"
	static const char *const seeds[] = {
		"\x03" WIDE WIDE WIDE WIDE,
		"\x03" LONG LONG LONG LONG,
		"\x03" WIDE LONG "\x03\x01\x01x\x05\x3f\x03\xe5\xad\x97",
		"\x03\x06\x01\x01x\x04\x1f\x02\xc3\xbc",
		"7 11 number:0.25",
		"7 4 none6 text:x",
		"7 4 null9 bool:true8 list:[1]4 none",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
