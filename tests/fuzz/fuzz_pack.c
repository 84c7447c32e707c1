/*
 * Damaged packs are refused; of one that is accepted the blocks lie in order and survive being packed
 * again, and those that are sound are the same when they are compressed alone. The first byte says whether
 * the rest is a whole frame or a body to be put into a sound one, so that the checksum does not hide the
 * reader.
 */
#include <string.h>

#include "arena.h"
#include "block.h"
#include "buf.h"
#include "codec_parts.h"
#include "fuzz.h"
#include "json_rows.h"
#include "pack.h"

enum { AS_FRAME = 0x80 };

static void check_same_block(const struct block *one, const struct block *other)
{
	FUZZ_CHECK(one->row_count == other->row_count && one->column_count == other->column_count);
	FUZZ_CHECK(block_cells(one) == block_cells(other));
	for (uint32_t i = 0; i < one->row_count; i++) {
		FUZZ_CHECK(one->rows[i] == other->rows[i]);
		FUZZ_CHECK(one->steps[i] == other->steps[i]);
	}
}

static void check_alone(struct codec *c, struct arena *a, const struct pack_block *b)
{
	const struct block_ask ask = { .row_first = b->row_offset, .last_step = b->step_base };
	struct buf *alone = buf_new(a);
	struct block one, other;

	if (block_decode(c, a, b->data, &ask, &one) || !pack_takes(b->data))
		return;
	pack_alone(c, b->data, alone);
	FUZZ_CHECK(!block_decode(c, a, buf_str(alone), &ask, &other));
	check_same_block(&one, &other);
}

static void check_same(const struct pack_block *one, const struct pack_block *other)
{
	FUZZ_CHECK(one->writer == other->writer && one->row_offset == other->row_offset);
	FUZZ_CHECK(one->row_count == other->row_count && one->step_base == other->step_base);
	FUZZ_CHECK(one->size_bytes == other->size_bytes && str_equal(one->data, other->data));
}

static void check_pack(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct pack_block *one, *other;
	uint32_t count, other_count;
	uint64_t row = 0;

	if (pack_decode(c, a, bytes, &one, &count))
		return;
	FUZZ_CHECK(count <= PACK_BLOCKS_MAX);
	pack_encode(c, one, count, again);
	FUZZ_CHECK(!pack_decode(c, a, buf_str(again), &other, &other_count));
	FUZZ_CHECK(count == other_count);
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(one[i].writer >= 0 && one[i].size_bytes >= 0);
		FUZZ_CHECK(one[i].row_offset >= row);
		row = (uint64_t)one[i].row_offset + one[i].row_count;
		FUZZ_CHECK(row <= INT32_MAX);
		check_same(&one[i], &other[i]);
		check_alone(c, a, &one[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf frame = { 0 };
	struct arena *a;
	struct codec *c;
	struct str bytes;

	if (size == 0)
		return 0;
	a = arena_new(1 << 14);
	c = codec_new();
	bytes = (struct str){ (const char *)data + 1, size - 1 };
	if (!(*data & AS_FRAME)) {
		frame_write_body(c, FRAME_PACK, bytes, &frame);
		bytes = buf_str(&frame);
	}
	check_pack(c, a, bytes);
	buf_free(&frame);
	codec_free(c);
	arena_free(a);
	return 0;
}

/* ---- seeds --------------------------------------------------------------------------------------- */

enum { BLOCKS = 12, ROWS = 5, PACKS = 4 };

/* As a worker makes it of a few rows. */
static struct str make_block(struct codec *c, struct arena *a, uint32_t row_count, unsigned variant)
{
	static const uint32_t key_ids[] = { 7, 3 };
	struct buf *out = buf_new(a);
	struct block_facts facts;
	int64_t steps[ROWS];
	double numbers[ROWS];
	struct str texts[ROWS];

	for (uint32_t i = 0; i < row_count; i++) {
		steps[i] = variant % 2 ? JSON_STEP_NONE : (int64_t)(variant * 100 + i);
		numbers[i] = 1 / (1.0 + variant + i);
		texts[i] = STR("\"text\"");
	}
	struct json_column columns[] = {
		{ .number_count = row_count, .numbers = numbers },
		{ .text_count = row_count, .texts = texts },
	};
	const struct json_rows rows = {
		.row_count = row_count, .column_count = 2, .columns = columns, .steps = steps
	};

	block_encode_rows(c, &rows, key_ids, out, &facts);
	return buf_str(out);
}

/* An empty one, one of one writer, one of several, one with gaps and large numbers. */
static void make_pack(struct codec *c, struct arena *a, unsigned pack, struct buf *out)
{
	static const uint32_t counts[PACKS] = { 0, 1, BLOCKS, 3 };
	struct pack_block blocks[BLOCKS];
	uint32_t row = 0;

	for (uint32_t i = 0; i < counts[pack]; i++) {
		uint32_t row_count = 1 + i % ROWS;

		blocks[i] = (struct pack_block){
			.writer = (int32_t)(pack == 3 ? INT32_MAX - i : i % 8),
			.row_offset = row + (pack == 3 && i == 0 ? INT32_MAX - 20 : 0),
			.row_count = row_count,
			.step_base = pack == 3 ? (INT64_MAX - 1) * (i % 2 ? 1 : -1) / 2 : row,
			.size_bytes = (int64_t)100 << (pack == 3 ? 40 : 0),
			.data = make_block(c, a, row_count, i),
		};
		row = blocks[i].row_offset + row_count;
	}
	pack_encode(c, blocks, counts[pack], out);
}

/* Each as a frame and as the body of one. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	struct codec *c = codec_new();
	struct buf *out = buf_new(a);
	struct str seed;
	size_t len = 0;

	if (i / 2 < PACKS) {
		make_pack(c, a, i / 2, out);
		seed = buf_str(out);
		if (i % 2 && frame_is_plain(FRAME_PACK, seed)) {
			seed = frame_plain_body(seed);
		} else if (i % 2) {
			struct sections_reader r;

			FUZZ_CHECK(!frame_read(c, a, FRAME_PACK, seed, &r));
			seed = buf_str(&c->raw);
		}
		len = seed.len + 1;
		FUZZ_CHECK(len <= size);
		*bytes = i % 2 ? 0 : AS_FRAME;
		memcpy(bytes + 1, seed.at, seed.len);
	}
	codec_free(c);
	arena_free(a);
	return len;
}
