#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "body.h"
#include "memory.h"

enum { BYTES = 100000 };

static struct str sample(void)
{
	static char text[BYTES];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i % 23);
	return (struct str){ text, sizeof(text) };
}

static void add_gzip(struct buf *b, struct str s)
{
	z_stream z = { 0 };

	deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	z.avail_out = (uInt)deflateBound(&z, s.len);
	z.next_out = (Bytef *)buf_reserve(b, z.avail_out);
	z.next_in = (z_const Bytef *)(uintptr_t)s.at;
	z.avail_in = (uInt)s.len;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	b->len += z.total_out;
	deflateEnd(&z);
}

static void add_zstd(struct buf *b, struct str s)
{
	size_t room = ZSTD_compressBound(s.len);

	b->len += ZSTD_compress(buf_reserve(b, room), room, s.at, s.len, 3);
}

static void add_encoded(enum inflate_kind kind, struct buf *b, struct str s)
{
	if (kind == INFLATE_GZIP)
		add_gzip(b, s);
	else if (kind == INFLATE_ZSTD)
		add_zstd(b, s);
	else
		buf_add_str(b, s);
}

/* Feeds `in` in pieces; what the body said first that was not fine, or its end. */
static enum body_result feed(struct body *b, struct str in, size_t piece)
{
	while (in.len) {
		struct str part = { in.at, in.len < piece ? in.len : piece };
		enum body_result r = body_add(b, part);

		if (r != BODY_OK)
			return r;
		in.at += part.len;
		in.len -= part.len;
	}
	return body_end(b);
}

static const enum inflate_kind all_kinds[] = { INFLATE_NONE, INFLATE_GZIP, INFLATE_ZSTD };

static void comes_out_as_it_went_in(void **state)
{
	static const size_t pieces[] = { 1, 7, 4096, 1 << 20 };

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
			struct memory_share share = { 0 };
			struct body body = { 0 };
			struct buf in = { 0 };

			add_encoded(all_kinds[k], &in, sample());
			add_encoded(all_kinds[k], &in, STR("and a second member"));
			body_init(&body, all_kinds[k], 1 << 20, &share);
			assert_int_equal(feed(&body, buf_str(&in), pieces[p]), BODY_OK);
			assert_int_equal(body.bytes.len, BYTES + 19);
			assert_memory_equal(body.bytes.at, sample().at, BYTES);
			for (size_t i = 0; i < BODY_PADDING; i++)
				assert_int_equal(body.bytes.at[body.bytes.len + i], 0);
			assert_true(share.held >= body.bytes.size);
			assert_true(share.reserved >= BODY_WEIGHT * body.bytes.len);
			body_free(&body);
			assert_int_equal(share.held, 0);
			buf_free(&in);
		}
	}
}

static void is_bounded_to_the_byte(void **state)
{
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		for (size_t limit = BYTES - 1; limit <= BYTES; limit++) {
			struct memory_share share = { 0 };
			struct body body = { 0 };
			struct buf in = { 0 };

			add_encoded(all_kinds[k], &in, sample());
			body_init(&body, all_kinds[k], limit, &share);
			assert_int_equal(feed(&body, buf_str(&in), 5000),
					 limit < BYTES ? BODY_TOO_LARGE : BODY_OK);
			assert_true(body.bytes.size <= 4 * BYTES);
			body_free(&body);
			buf_free(&in);
		}
	}
}

/* A gigabyte of zeroes in a megabyte: nothing near a gigabyte is ever held. */
static void bombs_do_not_go_off(void **state)
{
	char *zeroes = calloc(1, 64 << 20);

	(void)state;
	for (size_t k = 1; k < 3; k++) {
		struct memory_share share = { 0 };
		struct body body = { 0 };
		struct buf in = { 0 };

		add_encoded(all_kinds[k], &in, (struct str){ zeroes, 64 << 20 });
		body_init(&body, all_kinds[k], 1 << 20, &share);
		assert_int_equal(feed(&body, buf_str(&in), 1 << 20), BODY_TOO_LARGE);
		assert_true(body.bytes.size <= 4 << 20);
		body_free(&body);
		buf_free(&in);
	}
	free(zeroes);
}

/* Streams of nothing, one behind the other: what comes in is bounded as what comes out. */
static void streams_of_nothing_have_an_end(void **state)
{
	enum { LIMIT = 100000 };

	(void)state;
	for (size_t k = 1; k < 3; k++) {
		struct memory_share share = { 0 };
		struct body body = { 0 };
		struct buf nothing = { 0 };
		enum body_result r = BODY_OK;

		add_encoded(all_kinds[k], &nothing, STR(""));
		body_init(&body, all_kinds[k], LIMIT, &share);
		while (r == BODY_OK && body.raw_bytes < 10 * LIMIT)
			r = body_add(&body, buf_str(&nothing));
		assert_int_equal(r, BODY_TOO_LARGE);
		assert_in_range(body.raw_bytes, LIMIT, body_most_raw(all_kinds[k], LIMIT) + 100);
		body_free(&body);
		buf_free(&nothing);
	}
}

static void broken_streams_are_seen(void **state)
{
	(void)state;
	for (size_t k = 1; k < 3; k++) {
		for (size_t cut = 1; cut < 4; cut++) {
			struct memory_share share = { 0 };
			struct body body = { 0 };
			struct buf in = { 0 };

			add_encoded(all_kinds[k], &in, sample());
			if (cut == 1)
				in.len -= 5;
			else if (cut == 2)
				in.at[0] ^= 1;
			else
				buf_add_text(&in, "garbage after the end");
			body_init(&body, all_kinds[k], 1 << 20, &share);
			assert_int_equal(feed(&body, buf_str(&in), 4096), BODY_BROKEN);
			body_free(&body);
			buf_free(&in);
		}
	}
}

static void all_bodies_share_one_budget(void **state)
{
	struct memory memory;
	struct memory_share shares[2];
	struct body first = { 0 }, second = { 0 };

	(void)state;
	memory_init(&memory, 3 * BODY_WEIGHT * BYTES);
	for (int i = 0; i < 2; i++)
		share_begin(&shares[i], &memory, 0);
	body_init(&first, INFLATE_NONE, 1 << 20, &shares[0]);
	body_init(&second, INFLATE_NONE, 1 << 20, &shares[1]);
	assert_int_equal(body_add(&first, sample()), BODY_OK);
	assert_int_equal(body_add(&second, sample()), BODY_OK);
	assert_int_equal(body_add(&second, sample()), BODY_NO_MEMORY);
	body_free(&second);
	share_end(&shares[1]);
	assert_int_equal(feed(&first, STR("x"), 1), BODY_OK);
	body_free(&first);
	share_end(&shares[0]);
	assert_int_equal(memory.used, 0);
}

/* Bytes of no meaning at all: no crash, no more than the limit. */
static void noise_is_survived(void **state)
{
	char noise[512];

	(void)state;
	srand(1);
	for (int round = 0; round < 3000; round++) {
		struct memory_share share = { 0 };
		struct body body = { 0 };
		struct buf in = { 0 };

		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (char)rand();
		add_encoded(all_kinds[1 + round % 2], &in, STR("hello, hello, hello, hello"));
		buf_add(&in, noise, sizeof(noise));
		in.at[(size_t)rand() % 20] = (char)rand();
		body_init(&body, all_kinds[1 + round % 2], 1000, &share);
		(void)!feed(&body, buf_str(&in), 1 + (size_t)rand() % 100);
		assert_true(body.bytes.len <= 1000);
		body_free(&body);
		buf_free(&in);
	}
}

static void knows_encodings(void **state)
{
	static const struct {
		const char *name;
		enum inflate_kind kind;
	} cases[] = {
		{ "", INFLATE_NONE },           { "identity", INFLATE_NONE },
		{ " GZip ", INFLATE_GZIP },     { "x-gzip", INFLATE_GZIP },
		{ "zstd", INFLATE_ZSTD },       { "br", INFLATE_UNKNOWN },
		{ "deflate", INFLATE_UNKNOWN }, { "gzip, gzip", INFLATE_UNKNOWN },
		{ "gzip,", INFLATE_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(inflate_kind_of(str_of(cases[i].name)), cases[i].kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_out_as_it_went_in),
		cmocka_unit_test(is_bounded_to_the_byte),
		cmocka_unit_test(bombs_do_not_go_off),
		cmocka_unit_test(streams_of_nothing_have_an_end),
		cmocka_unit_test(broken_streams_are_seen),
		cmocka_unit_test(all_bodies_share_one_budget),
		cmocka_unit_test(noise_is_survived),
		cmocka_unit_test(knows_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
