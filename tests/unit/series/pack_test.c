/* Packs: what goes in comes out; damaged bytes are an error. */
#include "series_data.h"

#include <stdlib.h>

#include "codec_parts.h"
#include "pack.h"

enum { ROWS = 4 };

struct scene {
	struct arena *a;
	struct codec *c;
};

static int begin(void **state)
{
	struct scene *s = malloc(sizeof(*s));

	*s = (struct scene){ arena_new(4096), codec_new() };
	*state = s;
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	codec_free(s->c);
	arena_free(s->a);
	free(s);
	return 0;
}

/* A block as a worker makes it: uncompressed. */
static struct str plain_block(struct scene *s, size_t len)
{
	struct buf *out = buf_new(s->a);
	struct buf body = { 0 };

	for (size_t i = 0; i < len; i++)
		buf_add_byte(&body, (char)(i * 7));
	buf_add_str(&s->c->sections.section[SECTION_TEXT], buf_str(&body));
	frame_write_small(s->c, FRAME_BLOCK, len + 64, out);
	buf_free(&body);
	return buf_str(out);
}

static void fill(struct scene *s, struct pack_block *blocks, uint32_t count)
{
	uint32_t row = 0;

	for (uint32_t i = 0; i < count; i++) {
		blocks[i] = (struct pack_block){
			.writer = i % 3 ? (int32_t)i : INT32_MAX,
			.row_offset = row + i % 2,
			.row_count = i * ROWS,
			.step_base = i % 4 ? (int64_t)i << 40 : -1,
			.size_bytes = (int64_t)i << 33,
			.data = plain_block(s, i * 11),
		};
		row = blocks[i].row_offset + blocks[i].row_count;
	}
}

static void check_same(const struct pack_block *x, const struct pack_block *y)
{
	assert_int_equal(x->writer, y->writer);
	assert_int_equal(x->row_offset, y->row_offset);
	assert_int_equal(x->row_count, y->row_count);
	assert_int_equal(x->step_base, y->step_base);
	assert_int_equal(x->size_bytes, y->size_bytes);
	assert_true(str_equal(x->data, y->data));
}

static void comes_back(void **state)
{
	static const uint32_t counts[] = { 0, 1, 2, 77, 200 };
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct pack_block *blocks = arena_new_array(s->a, struct pack_block, counts[i] + 1);
		struct buf *out = buf_new(s->a);
		struct pack_block *found;
		uint32_t count;

		fill(s, blocks, counts[i]);
		pack_encode(s->c, blocks, counts[i], out);
		assert_null(pack_decode(s->c, s->a, buf_str(out), &found, &count));
		assert_int_equal(count, counts[i]);
		for (uint32_t j = 0; j < count; j++)
			check_same(&found[j], &blocks[j]);
	}
}

static void takes_small_plain_blocks(void **state)
{
	struct scene *s = *state;
	struct buf *packed = buf_new(s->a);
	struct buf *large = buf_new(s->a);
	struct str block = plain_block(s, 1000);

	assert_true(pack_takes(block));
	assert_false(pack_takes((struct str){ 0 }));
	assert_false(pack_takes(plain_block(s, PACK_BLOCK_BYTES)));
	pack_alone(s->c, block, packed);
	assert_false(pack_takes(buf_str(packed)));
	assert_true(packed->len < block.len);
	buf_add_str(&s->c->sections.section[SECTION_TEXT], block);
	frame_write_small(s->c, FRAME_BLOCK, 999, large);
	assert_false(pack_takes(buf_str(large)));
}

/* Every byte changed, and every length: an error, and no more is read than is there. */
static void damaged_bytes_are_an_error(void **state)
{
	struct scene *s = *state;
	struct pack_block blocks[8];
	struct buf *out = buf_new(s->a);
	struct pack_block *found;
	uint32_t count;

	fill(s, blocks, 8);
	pack_encode(s->c, blocks, 8, out);
	for (size_t i = 0; i < out->len; i++) {
		char *copy = malloc(out->len);

		memcpy(copy, out->at, out->len);
		copy[i] ^= 1;
		assert_non_null(
			pack_decode(s->c, s->a, (struct str){ copy, out->len }, &found, &count));
		free(copy);
		copy = malloc(i + 1);
		memcpy(copy, out->at, i);
		assert_non_null(pack_decode(s->c, s->a, (struct str){ copy, i }, &found, &count));
		free(copy);
	}
}

/* The checksum holds, but what it says cannot be. */
static void impossible_bodies_are_an_error(void **state)
{
	static const struct {
		uint64_t count, writer, rows, len;
	} cases[] = {
		{ PACK_BLOCKS_MAX + 1, 1, 1, 1 }, { 2, 1, 1, 1 }, { 1, 1ull << 31, 1, 1 },
		{ 1, 1, 1ull << 31, 1 },          { 1, 1, 1, 2 }, { 1, 1, 1, 0 },
		{ 1, 1, 1, 1ull << 40 },          { 0, 1, 1, 1 },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf *out = buf_new(s->a);
		struct pack_block *found;
		uint32_t count;

		sections_add_varint(&s->c->sections, cases[i].count);
		sections_add_varint(&s->c->sections, cases[i].writer);
		sections_add_varint(&s->c->sections, 0);
		sections_add_varint(&s->c->sections, cases[i].rows);
		sections_add_signed(&s->c->sections, -1);
		sections_add_varint(&s->c->sections, 10);
		sections_add_varint(&s->c->sections, cases[i].len);
		buf_add_byte(&s->c->sections.section[SECTION_TEXT], 'x');
		frame_write(s->c, FRAME_PACK, out);
		if (!pack_decode(s->c, s->a, buf_str(out), &found, &count))
			fail_msg("case %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(comes_back, begin, end),
		cmocka_unit_test_setup_teardown(takes_small_plain_blocks, begin, end),
		cmocka_unit_test_setup_teardown(damaged_bytes_are_an_error, begin, end),
		cmocka_unit_test_setup_teardown(impossible_bodies_are_an_error, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
