/* The parts all formats are made of: checksum, words, numbers, texts, frames. */
#include "series_data.h"

#include "checksum.h"
#include "codec_parts.h"
#include "memory.h"
#include "numbers.h"
#include "texts.h"
#include "int_column.h"

static void checksums_are_those_of_xxh64(void **state)
{
	static const struct {
		const char *text;
		uint64_t sum;
	} cases[] = {
		{ "", UINT64_C(0xef46db3751d8e999) },
		{ "a", UINT64_C(0xd24ec4f1a98c6e5b) },
		{ "abc", UINT64_C(0x44bc2cf5ad770999) },
		{ "Nobody inspects the spammish repetition", UINT64_C(0xfbcea83c8a378bf1) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(checksum64(cases[i].text, strlen(cases[i].text)), cases[i].sum);
}

/* Opens what the codec's sections hold now, as a frame would. */
static struct sections_reader reopen(struct codec *c, struct buf *raw)
{
	struct sections_reader r;

	buf_clear(raw);
	sections_join(&c->sections, raw);
	sections_clear(&c->sections);
	assert_true(sections_open(buf_str(raw), &r));
	return r;
}

static void words_survive(void **state)
{
	static const struct {
		int64_t words[8];
		uint32_t count;
		size_t planes; /* bytes in all planes together */
	} cases[] = {
		{ { 0 }, 0, 0 },
		{ { 42 }, 1, 0 },
		{ { -7, -7, -7 }, 3, 0 },
		{ { 100, 200, 300, 400, 500 }, 5, 0 },
		{ { 1000, 1001, 1000, 1001, 1000, 1255 }, 6, 6 },
		{ { 1000, 1256, 1000 }, 3, 6 },
		{ { INT64_MIN, INT64_MAX, 0, -1, INT64_MIN }, 5, 40 },
		{ { INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, INT64_MIN + 3 }, 4, 0 },
	};
	struct codec *c = codec_new();
	struct buf raw = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t back[8];
		size_t planes = 0;
		struct sections_reader r;

		int_column_write(c, cases[i].words, cases[i].count);
		for (int part = SECTION_PLANE; part < SECTION_TEXT; part++)
			planes += c->sections.section[part].len;
		assert_int_equal(planes, cases[i].planes);
		r = reopen(c, &raw);
		assert_true(int_column_read(&r, cases[i].count, back));
		assert_true(sections_done(&r));
		assert_memory_equal(back, cases[i].words, cases[i].count * sizeof(back[0]));
		r = (struct sections_reader){ 0 };
		assert_true(sections_open(buf_str(&raw), &r));
		int_column_skip(&r, cases[i].count);
		assert_true(sections_done(&r));
	}
	buf_free(&raw);
	codec_free(c);
}

/* Bytes per number in the planes: the right mode was found. */
static void numbers_survive_in_few_bytes(void **state)
{
	static const double most[SERIES_KINDS] = {
		[SERIES_CONSTANT] = 0, [SERIES_COUNTER] = 0, [SERIES_ROUNDED] = 2,
		[SERIES_FLOAT] = 4,    [SERIES_DOUBLE] = 8,  [SERIES_BFLOAT] = 3,
		[SERIES_TIME] = 2,     [SERIES_HARD] = 8,    [SERIES_LATE_NOISE] = 8,
	};
	enum { COUNT = 1000 };
	static const uint32_t counts[] = { 1, 2, 3, 10, 63, 64, 65, 256, COUNT };
	struct codec *c = codec_new();
	struct buf raw = { 0 };

	(void)state;
	for (int test = 0; test < SERIES_KINDS * 9; test++) {
		enum series_kind kind = (enum series_kind)(test / 9);
		uint32_t count = counts[test % 9];
		double numbers[COUNT], back[COUNT];
		size_t planes = 0;
		struct sections_reader r;

		for (uint32_t i = 0; i < count; i++)
			numbers[i] = series_number(kind, i, count);
		numbers_write(c, numbers, count);
		for (int part = SECTION_PLANE; part < SECTION_TEXT; part++)
			planes += c->sections.section[part].len;
		if ((double)planes > most[kind] * count)
			fail_msg("kind %d, %u numbers: %zu bytes", kind, count, planes);
		r = reopen(c, &raw);
		assert_true(numbers_read(c, &r, count, back));
		assert_true(sections_done(&r));
		assert_true(series_same(numbers, back, count));
		assert_true(sections_open(buf_str(&raw), &r));
		numbers_skip(&r, count);
		assert_true(sections_done(&r));
	}
	buf_free(&raw);
	codec_free(c);
}

/* Numbers of few bits are short decimals, too, but the decimals are longer: 24 bits of a bfloat16. */
static void numbers_of_few_bits_are_written_as_floats(void **state)
{
	enum { COUNT = 1000 };
	struct codec *c = codec_new();
	struct buf out = { 0 };
	double numbers[COUNT];

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = series_number(SERIES_BFLOAT, i, COUNT);
	numbers_write(c, numbers, COUNT);
	frame_write(c, FRAME_CHUNK, &out);
	assert_in_range(out.len, COUNT / 2, COUNT * 5 / 4);
	buf_free(&out);
	codec_free(c);
}

static void texts_survive(void **state)
{
	static const struct str texts[] = { { "\"a\"", 3 }, { "", 0 }, { "[1,2]", 5 }, { "x", 1 } };
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct buf raw = { 0 };
	struct str back[4];
	struct sections_reader r;

	(void)state;
	texts_write(c, texts, 4);
	r = reopen(c, &raw);
	assert_true(texts_read(c, &r, a, 4, back));
	assert_true(sections_done(&r));
	for (int i = 0; i < 4; i++)
		assert_true(str_equal(texts[i], back[i]));
	assert_true(sections_open(buf_str(&raw), &r));
	assert_true(texts_skip(c, &r, 4));
	assert_true(sections_done(&r));
	assert_true(sections_open(buf_str(&raw), &r));
	assert_false(texts_read(c, &r, a, 200, back));
	buf_free(&raw);
	codec_free(c);
	arena_free(a);
}

/* Every byte of a frame, changed in every way of a few, is noticed. */
static void damage_to_a_frame_is_noticed(void **state)
{
	static const unsigned char damage[] = { 0x01, 0x80, 0xff };
	struct arena *a = arena_new(4096);
	struct codec *c = codec_new();
	struct buf out = { 0 };
	struct sections_reader r;

	(void)state;
	for (int i = 0; i < 100; i++)
		sections_add_varint(&c->sections, (uint64_t)i % 10);
	frame_write(c, FRAME_CHUNK, &out);
	assert_null(frame_read(c, a, FRAME_CHUNK, buf_str(&out), &r));
	assert_non_null(frame_read(c, a, FRAME_BLOCK, buf_str(&out), &r));
	for (size_t i = 0; i < out.len * 3; i++) {
		out.at[i / 3] = (char)(out.at[i / 3] ^ damage[i % 3]);
		assert_non_null(frame_read(c, a, FRAME_CHUNK, buf_str(&out), &r));
		out.at[i / 3] = (char)(out.at[i / 3] ^ damage[i % 3]);
	}
	for (size_t len = 0; len < out.len; len++) {
		struct str cut = { out.at, len };

		assert_non_null(frame_read(c, a, FRAME_CHUNK, cut, &r));
	}
	buf_free(&out);
	codec_free(c);
	arena_free(a);
}

/* A block that compressing would shorten by little is kept as it is, a chunk is not. */
static void a_block_is_compressed_when_it_pays(void **state)
{
	static const enum frame_kind kinds[] = { FRAME_BLOCK, FRAME_CHUNK };
	static const bool plain[2][2] = { { true, false }, { false, false } };
	struct codec *c = codec_new();
	uint32_t random = 1;
	char body[1000];

	(void)state;
	for (int much = 0; much < 2; much++) {
		for (size_t i = 0; i < sizeof(body); i++) {
			random = random * 1664525 + 1013904223;
			body[i] = i % 10 < (much ? 5 : 0) ? 'x' : (char)(random >> 24 & 0x7f);
		}
		for (int kind = 0; kind < 2; kind++) {
			struct buf out = { 0 };

			frame_write_body(c, kinds[kind], (struct str){ body, sizeof(body) }, &out);
			assert_int_equal(!!(out.at[0] & FRAME_PLAIN), plain[kind][much]);
			buf_free(&out);
		}
	}
	codec_free(c);
}

/* Scratch buffers grow with what a client sent. */
static void all_buffers_of_a_codec_count_in_a_share(void **state)
{
	enum { ROOM = 1000 };
	struct memory_share share;
	struct memory memory;
	struct codec *c = codec_new();
	size_t empty;

	(void)state;
	memory_init(&memory, 1 << 20);
	share_begin(&share, &memory, 0);
	empty = codec_size(c);
	codec_count_in(c, &share);
	for (int i = 0; i < SECTIONS; i++)
		buf_reserve(&c->sections.section[i], ROOM);
	codec_ints(&c->ints, ROOM);
	codec_ints(&c->mapped, ROOM);
	buf_reserve(&c->raw, ROOM);
	buf_reserve(&c->fields, ROOM);
	assert_true(share.held > (SECTIONS + 4) * ROOM);
	assert_int_equal(codec_size(c) - empty, share.held);
	codec_free(c);
	assert_int_equal(share.held, 0);
	share_end(&share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums_are_those_of_xxh64),
		cmocka_unit_test(words_survive),
		cmocka_unit_test(numbers_survive_in_few_bytes),
		cmocka_unit_test(numbers_of_few_bits_are_written_as_floats),
		cmocka_unit_test(texts_survive),
		cmocka_unit_test(damage_to_a_frame_is_noticed),
		cmocka_unit_test(a_block_is_compressed_when_it_pays),
		cmocka_unit_test(all_buffers_of_a_codec_count_in_a_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
