#include "pack.h"

#include <assert.h>

#include "arena.h"
#include "buf.h"
#include "codec_parts.h"

/*
 * In the meta section: count, then for each block its writer, where its rows begin after those of the
 * block before, rows, step base as difference to the block before, decoded size, length. The text section
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
	sections_add_varint(&c->sections, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct pack_block *b = &blocks[i];

		sections_add_varint(&c->sections, (uint32_t)b->writer);
		sections_add_varint(&c->sections, b->row_offset - row);
		sections_add_varint(&c->sections, b->row_count);
		sections_add_signed(&c->sections, b->step_base - step_base);
		sections_add_varint(&c->sections, (uint64_t)b->size_bytes);
		sections_add_varint(&c->sections, b->data.len);
		buf_add_str(&c->sections.section[SECTION_TEXT], b->data);
		row = b->row_offset + b->row_count;
		step_base = b->step_base;
	}
	frame_write(c, FRAME_PACK, out);
}

void pack_alone(struct codec *c, struct str block, struct buf *out)
{
	frame_write_body(c, FRAME_BLOCK, frame_plain_body(block), out);
}

static bool get_block(struct sections_reader *r, struct arena *a, struct pack_block *b)
{
	uint64_t row = b->row_offset;
	const unsigned char *data;
	size_t len;

	b->writer = (int32_t)sections_count(r, INT32_MAX);
	row += sections_count(r, INT32_MAX);
	b->row_count = sections_count(r, INT32_MAX);
	if (__builtin_add_overflow(b->step_base, sections_signed(r), &b->step_base))
		return false;
	b->size_bytes = (int64_t)sections_varint(r);
	len = sections_count(r, FRAME_MAX_BODY);
	data = sections_bytes(r, SECTION_TEXT, len);
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
	struct sections_reader r;
	struct pack_block *blocks;
	uint32_t count;
	err_t e;

	e = frame_read(c, a, FRAME_PACK, bytes, &r);
	if (e)
		return e;
	count = sections_count(&r, PACK_BLOCKS_MAX);
	blocks = arena_new_array(a, struct pack_block, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		if (!get_block(&r, a, &at))
			return frame_damaged(a, FRAME_PACK);
		blocks[i] = at;
		at.row_offset += at.row_count;
	}
	if (!sections_done(&r))
		return frame_damaged(a, FRAME_PACK);
	*ret_blocks = blocks;
	*ret_count = count;
	return NULL;
}
