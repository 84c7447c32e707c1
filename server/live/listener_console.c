/*
 * Console lines for a listener, from the blocks of the tail, which keep the order in which lines arrived. A block can be
 * as large as a request body, so a cursor may be inside one.
 */
#include "arena.h"
#include "console_store.h"
#include "lines.h"
#include "listener_console.h"
#include "row_json.h"

enum { BLOCKS_AT_ONCE = 64, BLOCK_BYTES = 1 << 20 };

/* Returns whether so many blocks were read that more may follow. */
static bool is_cut(const struct pending_row *blocks, size_t count)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += blocks[i].size_bytes;
	return count == BLOCKS_AT_ONCE || bytes >= BLOCK_BYTES;
}

/* Writes the lines of a block from cursor->lines on, up to the limit of bytes. Returns whether all were written. */
static bool write_block(struct listener_view *view, const struct pending_row *block,
			const struct lines *lines, struct listener_cursor *cursor,
			struct json_out *json)
{
	struct str label = labels_of(&view->labels, block->writer);
	size_t before = json->buf->len;
	uint32_t i = (uint32_t)cursor->lines;

	for (; i < lines->count && json->buf->len - before < LISTENER_BYTES; i++)
		row_json_write_line(json, &lines->items[i], block->writer, label);
	cursor->lines = i < lines->count ? (int32_t)i : 0;
	if (!cursor->lines)
		cursor->seq = block->seq;
	return !cursor->lines;
}

static err_t write_blocks(struct listener_view *view, const struct pending_row *blocks,
			  size_t count, struct listener_cursor *cursor, struct json_out *json,
			  bool *ret_all)
{
	struct arena *a = db_arena(view->reader.db);
	size_t before = json->buf->len;

	*ret_all = true;
	for (size_t i = 0; i < count && *ret_all; i++) {
		struct lines lines = { .count = 0 };
		err_t e = lines_decode(view->reader.codec, a, blocks[i].data, &lines);

		if (e)
			return e;
		*ret_all = write_block(view, &blocks[i], &lines, cursor, json) &&
			   (json->buf->len - before < LISTENER_BYTES || i + 1 == count);
	}
	return NULL;
}

static err_t read_blocks(struct listener_view *view, const struct listener_cursor *cursor,
			 struct pending_row **ret_blocks, size_t *ret_count)
{
	err_t e = console_store_after(view->reader.db, view->run->run_id, cursor->seq,
				      BLOCKS_AT_ONCE, BLOCK_BYTES, ret_blocks, ret_count);

	return e || !*ret_count ? e : listener_view_labels(view);
}

err_t listener_send_console(struct listener_view *view, struct listener_cursor *cursor,
			    struct buf *out, bool *ret_more)
{
	struct json_out json;
	struct pending_row *blocks;
	size_t count;
	bool all = true;
	err_t e;

	if (cursor->seq + 1 >= view->run->next_seq)
		return NULL;
	e = read_blocks(view, cursor, &blocks, &count);
	if (e)
		return e;
	if (count) {
		listener_event_begin(out, "console");
		json = json_out_begin(out);
		json_out_object(&json);
		json_out_key(&json, "items");
		json_out_array(&json);
		e = write_blocks(view, blocks, count, cursor, &json, &all);
		json_out_array_end(&json);
		json_out_object_end(&json);
	}
	all = all && !is_cut(blocks, count);
	*ret_more = *ret_more || !all;
	/* The blocks may have been read later than the run. */
	if (all && cursor->seq < view->run->next_seq - 1)
		cursor->seq = view->run->next_seq - 1;
	if (count)
		listener_event_end(out, cursor);
	return e;
}

/* ---- which lines ----------------------------------------------------------------------------------- */

enum { WINDOWS_MAX = 4, RANGES_MAX = WINDOWS_MAX * BLOCKS_AT_ONCE };

struct line_range {
	int32_t writer;
	int64_t from;
	int64_t to;
};

struct line_ranges {
	struct line_range at[RANGES_MAX];
	size_t count;
	bool is_whole;
};

static struct line_range *range_of(struct line_ranges *ranges, int32_t writer)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (ranges->at[i].writer == writer)
			return &ranges->at[i];
	}
	ranges->at[ranges->count] = (struct line_range){ writer, INT64_MAX, -1 };
	return &ranges->at[ranges->count++];
}

static err_t add_block(struct listener_view *view, const struct pending_row *block,
		       struct line_ranges *ranges)
{
	struct line_range *range = range_of(ranges, block->writer);
	struct lines lines = { .count = 0 };
	err_t e = lines_decode(view->reader.codec, db_arena(view->reader.db), block->data, &lines);

	for (uint32_t i = 0; i < lines.count && !e; i++) {
		int64_t number = lines.items[i].number;

		range->from = number < range->from ? number : range->from;
		range->to = number > range->to ? number : range->to;
	}
	return e;
}

/* Reads a few windows. A run that writes more than they hold is not followed line by line. */
static err_t read_ranges(struct listener_view *view, struct listener_cursor *cursor,
			 struct line_ranges *ranges)
{
	struct pending_row *blocks;
	size_t count;

	for (int i = 0; i < WINDOWS_MAX; i++) {
		err_t e = read_blocks(view, cursor, &blocks, &count);

		for (size_t j = 0; j < count && !e; j++) {
			e = add_block(view, &blocks[j], ranges);
			cursor->seq = blocks[j].seq;
		}
		if (e)
			return e;
		if (!is_cut(blocks, count)) {
			ranges->is_whole = true;
			break;
		}
	}
	if (cursor->seq < view->run->next_seq - 1)
		cursor->seq = view->run->next_seq - 1;
	return NULL;
}

static void write_ranges(struct listener_view *view, const struct line_ranges *ranges,
			 struct buf *out)
{
	struct json_out json = listener_event_begin_item(view, "console", out);

	if (!ranges->is_whole)
		json_out_null(&json);
	else
		json_out_array(&json);
	for (size_t i = 0; i < ranges->count && ranges->is_whole; i++) {
		const struct line_range *range = &ranges->at[i];

		json_out_object(&json);
		json_out_put_text(&json, "label", labels_of(&view->labels, range->writer));
		json_out_put_int(&json, "writer", range->writer);
		json_out_put_int(&json, "from", range->from);
		json_out_put_int(&json, "to", range->to);
		json_out_object_end(&json);
	}
	if (ranges->is_whole)
		json_out_array_end(&json);
	listener_event_end_item(view, &json, NULL);
}

err_t listener_tell_console(struct listener_view *view, struct listener_cursor *cursor,
			    struct buf *out)
{
	struct line_ranges *ranges;
	int64_t seq = cursor->seq;
	bool is_there = true;
	err_t e;

	if (seq + 1 >= view->run->next_seq)
		return NULL;
	ranges = arena_new_of(db_arena(view->reader.db), struct line_ranges);
	e = read_ranges(view, cursor, ranges);
	if (!e)
		e = tail_store_has_all(view->reader.db, view->run->run_id, seq, cursor->seq,
				       &is_there);
	if (e)
		return e;
	ranges->is_whole = ranges->is_whole && is_there;
	if (ranges->count || !ranges->is_whole)
		write_ranges(view, ranges, out);
	return NULL;
}
