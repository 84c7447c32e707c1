#include "pack.h"

#include <assert.h>

#include "arena.h"
#include "buf.h"
#include "codec_parts.h"

/*
 * In the meta lane: count, then for each block its writer, where its rows begin after those of the
 * block before, rows, step base as difference to the block before, decoded size, length. The text lane
 * holds the blocks.
 */
bool pack_takes(struct str block)
{
	return block.len && block.len <= PACK_BLOCK_BYTES && frame_is_plain(FRAME_BLOCK, block);
}

void pack_encode(struct codec *c, const struct pack_block *blocks, uint32_t count, struct buf *out)
{
	int64_t step_base = 0;
	uint32_t row = 0;

	assert(count <= PACK_BLOCKS_MAX);
	lanes_add_varint(&c->lanes, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct pack_block *b = &blocks[i];

		lanes_add_varint(&c->lanes, (uint32_t)b->writer);
		lanes_add_varint(&c->lanes, b->row_offset - row);
		lanes_add_varint(&c->lanes, b->row_count);
		lanes_add_signed(&c->lanes, b->step_base - step_base);
		lanes_add_varint(&c->lanes, (uint64_t)b->size_bytes);
		lanes_add_varint(&c->lanes, b->data.len);
		buf_add_str(&c->lanes.lane[LANE_TEXT], b->data);
		row = b->row_offset + b->row_count;
		step_base = b->step_base;
	}
	frame_write(c, FRAME_PACK, out);
}

void pack_alone(struct codec *c, struct str block, struct buf *out)
{
	frame_write_body(c, FRAME_BLOCK, frame_plain_body(block), out);
}

static bool get_block(struct lanes_reader *r, struct arena *a, struct pack_block *b)
{
	uint64_t row = b->row_offset;
	const unsigned char *data;
	size_t len;

	b->writer = (int32_t)lanes_count(r, INT32_MAX);
	row += lanes_count(r, INT32_MAX);
	b->row_count = lanes_count(r, INT32_MAX);
	if (__builtin_add_overflow(b->step_base, lanes_signed(r), &b->step_base))
		return false;
	b->size_bytes = (int64_t)lanes_varint(r);
	len = lanes_count(r, FRAME_MAX_BODY);
	data = lanes_bytes(r, LANE_TEXT, len);
	if (r->failed || row + b->row_count > INT32_MAX || b->size_bytes < 0)
		return false;
	b->row_offset = (uint32_t)row;
	b->data = (struct str){ arena_copy(a, data, len), len };
	return true;
}

err_t pack_decode(struct codec *c, struct arena *a, struct str bytes,
		  struct pack_block **ret_blocks, uint32_t *ret_count)
{
	struct pack_block at = { 0 }; /* the base of the next one's differences */
	struct lanes_reader r;
	struct pack_block *blocks;
	uint32_t count;
	err_t e;

	e = frame_read(c, a, FRAME_PACK, bytes, &r);
	if (e)
		return e;
	count = lanes_count(&r, PACK_BLOCKS_MAX);
	blocks = arena_new_array(a, struct pack_block, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		if (!get_block(&r, a, &at))
			return frame_damaged(a, FRAME_PACK);
		blocks[i] = at;
		at.row_offset += at.row_count;
	}
	if (!lanes_done(&r))
		return frame_damaged(a, FRAME_PACK);
	*ret_blocks = blocks;
	*ret_count = count;
	return NULL;
}
