/*
 * Damaged blocks, chunks, rollups, key lists and lines are refused, and what is accepted survives
 * being written again. The first byte says which format, and whether the rest is a whole frame or
 * a body to be put into a sound one, so that the checksum does not hide the readers.
 */
#include <string.h>

#include "arena.h"
#include "block.h"
#include "buf.h"
#include "chunk.h"
#include "codec_parts.h"
#include "fuzz.h"
#include "key_stats.h"
#include "lines.h"
#include "rollup.h"

enum { AS_FRAME = 0x80, FORMATS = 5 };

static const struct block_ask ask = { .row_first = 7, .last_step = 3 };

static void check_block(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct block_facts facts;
	struct block one, other;

	if (block_decode(c, a, bytes, &ask, &one))
		return;
	block_encode(c, &one, again, &facts);
	FUZZ_CHECK(facts.point_count == block_cells(&one));
	if (one.row_count == 0)
		return;
	FUZZ_CHECK(!block_decode(c, a, buf_str(again),
				 &(struct block_ask){ .row_first = one.rows[0] }, &other));
	FUZZ_CHECK(one.row_count == other.row_count);
	FUZZ_CHECK(memcmp(one.rows, other.rows, one.row_count * sizeof(*one.rows)) == 0);
	FUZZ_CHECK(memcmp(one.steps, other.steps, one.row_count * sizeof(*one.steps)) == 0);
	FUZZ_CHECK(block_cells(&one) == block_cells(&other));
}

static void check_chunk(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct chunk one, other;

	if (chunk_decode(c, a, bytes, &one))
		return;
	chunk_encode(c, &one, again);
	FUZZ_CHECK(!chunk_decode(c, a, buf_str(again), &other));
	FUZZ_CHECK(one.count == other.count && !one.numbers == !other.numbers);
	FUZZ_CHECK(memcmp(one.rows, other.rows, one.count * sizeof(*one.rows)) == 0);
	FUZZ_CHECK(memcmp(one.steps, other.steps, one.count * sizeof(*one.steps)) == 0);
	if (one.numbers)
		FUZZ_CHECK(memcmp(one.numbers, other.numbers, one.count * sizeof(double)) == 0);
}

static void check_rollup(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct cell *one, *other;
	uint32_t count, other_count;

	if (rollup_decode(c, a, bytes, &one, &count))
		return;
	rollup_encode(c, one, count, again);
	FUZZ_CHECK(!rollup_decode(c, a, buf_str(again), &other, &other_count));
	FUZZ_CHECK(count == other_count && memcmp(one, other, count * sizeof(*one)) == 0);
}

static void check_key_stats(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct key_stats one, other;

	if (key_stats_decode(c, a, bytes, &one))
		return;
	key_stats_encode(c, &one, again);
	FUZZ_CHECK(!key_stats_decode(c, a, buf_str(again), &other));
	FUZZ_CHECK(one.count == other.count);
}

static void check_lines(struct codec *c, struct arena *a, struct str bytes)
{
	struct buf *again = buf_new(a);
	struct lines one, other;

	if (lines_decode(c, a, bytes, &one))
		return;
	lines_encode(c, &one, again);
	FUZZ_CHECK(!lines_decode(c, a, buf_str(again), &other));
	FUZZ_CHECK(one.count == other.count);
}

static const struct {
	enum frame_kind kind;
	void (*check)(struct codec *c, struct arena *a, struct str bytes);
} formats[FORMATS] = {
	{ FRAME_BLOCK, check_block },   { FRAME_CHUNK, check_chunk },
	{ FRAME_ROLLUP, check_rollup }, { FRAME_KEY_STATS, check_key_stats },
	{ FRAME_LINES, check_lines },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a;
	struct codec *c;
	struct buf frame = { 0 };
	struct str bytes;
	unsigned format;

	if (size == 0)
		return 0;
	a = arena_new(1 << 14);
	c = codec_new();
	format = (*data & ~(unsigned)AS_FRAME) % FORMATS;
	bytes = (struct str){ (const char *)data + 1, size - 1 };
	if (!(*data & AS_FRAME)) {
		frame_write_body(c, formats[format].kind, bytes, &frame);
		bytes = buf_str(&frame);
	}
	formats[format].check(c, a, bytes);
	buf_free(&frame);
	codec_free(c);
	arena_free(a);
	return 0;
}

enum { VALUES = 40 };

/* A small sound example of a format. */
static void make_example(struct codec *c, struct arena *a, unsigned format, unsigned variant,
			 struct buf *out)
{
	int64_t rows[VALUES], steps[VALUES];
	double numbers[VALUES];
	uint32_t some[VALUES / 2];
	struct str texts[VALUES];
	struct line line[VALUES];
	struct block_facts facts;
	struct cell cells[2] = { 0 };
	const uint32_t count = VALUES;

	for (uint32_t i = 0; i < count; i++) {
		rows[i] = i * (1 + variant % 3) + (i > 20 ? variant : 0);
		steps[i] = variant & 1 && i % 3 ? BLOCK_STEP_NONE : (int64_t)i * 5;
		numbers[i] = variant & 2 ? (double)i / 10 : 1 / (1.0 + i);
		texts[i] = i % 2 ? STR("\"text\"") : STR("[1,2,3]");
		line[i] = (struct line){ rows[i], 1000 + 7 * steps[i], variant * i, i % 4 == 0,
					 texts[i] };
		if (i < count / 2)
			some[i] = 2 * i;
	}
	const struct block_column columns[] = {
		{ .key_id = 5, .number_count = count, .numbers = numbers },
		{ .key_id = 3,
		  .number_count = count / 2,
		  .number_rows = some,
		  .numbers = numbers,
		  .text_count = count,
		  .texts = texts },
		{ .key_id = 9, .text_count = count / 2, .text_rows = some, .texts = texts },
	};
	const struct block block = { count, 3, rows, steps, columns };

	if (format == 0) {
		block_encode(c, &block, out, &facts);
	} else if (format == 1) {
		chunk_encode(c,
			     &(struct chunk){ count, rows, steps, variant & 1 ? NULL : numbers,
					      variant & 1 ? texts : NULL },
			     out);
	} else if (format == 2) {
		rollup_add(cells, 240, &(struct cell_values){ count, rows, steps, numbers });
		rollup_encode(c, cells, 2, out);
	} else if (format == 3) {
		struct key_stats stats;

		key_stats_of_block(a, &block, &stats);
		key_stats_encode(c, &stats, out);
	} else {
		lines_encode(c, &(struct lines){ count, line }, out);
	}
}

/* Each format in four variants, each as a frame and as the body of one. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	struct codec *c = codec_new();
	struct buf *out = buf_new(a);
	struct str body;
	unsigned format = i / 8;
	struct sections_reader r;

	if (format < FORMATS) {
		make_example(c, a, format, i / 2 % 4, out);
		body = buf_str(out);
		if (i % 2) {
			FUZZ_CHECK(!frame_read(c, a, formats[format].kind, body, &r));
			body = buf_str(&c->raw);
		}
		FUZZ_CHECK(body.len + 1 <= size);
		*bytes = (uint8_t)(format | (i % 2 ? 0 : AS_FRAME));
		memcpy(bytes + 1, body.at, body.len);
		size = body.len + 1;
	} else {
		size = 0;
	}
	codec_free(c);
	arena_free(a);
	return size;
}
