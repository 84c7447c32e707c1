/*
 * Console lines for a listener, from the tail's blocks: they keep the order in which lines came. A
 * block can be as large as a body, so a place may lie inside one.
 */
#include "arena.h"
#include "lines.h"
#include "listener_console.h"
#include "row_json.h"

enum { BLOCKS_AT_ONCE = 64, BLOCK_BYTES = 1 << 20 };

/* Whether so many blocks were read that there may be others behind them. */
static bool is_cut(const struct pending_row *blocks, size_t count)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += blocks[i].size_bytes;
	return count == BLOCKS_AT_ONCE || bytes >= BLOCK_BYTES;
}

/* Lines of a block from place->lines on, as far as the bytes go; true: all of them. */
static bool write_block(struct listener_view *view, const struct pending_row *block,
			const struct lines *lines, struct listener_place *place,
			struct json_out *json)
{
	struct str label = labels_of(&view->labels, block->writer);
	size_t before = json->buf->len;
	uint32_t i = (uint32_t)place->lines;

	for (; i < lines->count && json->buf->len - before < LISTENER_BYTES; i++)
		row_json_write_line(json, &lines->items[i], block->writer, label);
	place->lines = i < lines->count ? (int32_t)i : 0;
	if (!place->lines)
		place->seq = block->seq;
	return !place->lines;
}

static err_t write_blocks(struct listener_view *view, const struct pending_row *blocks,
			  size_t count, struct listener_place *place, struct json_out *json,
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
		*ret_all = write_block(view, &blocks[i], &lines, place, json) &&
			   (json->buf->len - before < LISTENER_BYTES || i + 1 == count);
	}
	return NULL;
}

static err_t read_blocks(struct listener_view *view, const struct listener_place *place,
			 struct pending_row **ret_blocks, size_t *ret_count)
{
	err_t e = series_store_console_after(view->reader.db, view->run->run_id, place->seq,
					     BLOCKS_AT_ONCE, BLOCK_BYTES, ret_blocks, ret_count);

	return e || !*ret_count ? e : listener_view_labels(view);
}

err_t listener_send_console(struct listener_view *view, struct listener_place *place,
			    struct buf *out, bool *ret_more)
{
	struct json_out json;
	struct pending_row *blocks;
	size_t count;
	bool all = true;
	err_t e;

	if (place->seq + 1 >= view->run->next_seq)
		return NULL;
	e = read_blocks(view, place, &blocks, &count);
	if (e)
		return e;
	if (count) {
		listener_event_begin(out, "console");
		json = json_out_begin(out);
		json_out_object(&json);
		json_out_key(&json, "items");
		json_out_array(&json);
		e = write_blocks(view, blocks, count, place, &json, &all);
		json_out_array_end(&json);
		json_out_object_end(&json);
	}
	all = all && !is_cut(blocks, count);
	*ret_more = *ret_more || !all;
	/* The blocks may have been read later than the run. */
	if (all && place->seq < view->run->next_seq - 1)
		place->seq = view->run->next_seq - 1;
	if (count)
		listener_event_end(out, place);
	return e;
}
