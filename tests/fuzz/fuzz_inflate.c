/*
 * Compressed bodies, in one piece and in small ones: no more comes out than was allowed, and the pieces
 * make no difference. The first byte says which encoding, and how long the pieces are.
 */
#include <zlib.h>
#include <zstd.h>

#include "arena.h"
#include "fuzz.h"
#include "inflate.h"

enum { MOST = 20000, ZSTD_BIT = 0x80 };

static enum inflate_result undo(uint8_t how, struct str bytes, size_t step, struct buf *out)
{
	struct inflate *z = inflate_new(how & ZSTD_BIT ? INFLATE_ZSTD : INFLATE_GZIP);
	enum inflate_result r = INFLATE_OK;

	while (bytes.len && r == INFLATE_OK) {
		struct str piece = { bytes.at, bytes.len < step ? bytes.len : step };

		r = inflate_add(z, piece, MOST, out);
		bytes.at += piece.len;
		bytes.len -= piece.len;
	}
	if (r == INFLATE_OK)
		r = inflate_end(z);
	inflate_free(z);
	FUZZ_CHECK(out->len <= MOST);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct buf *whole = buf_new(a);
	struct buf *pieces = buf_new(a);
	struct str bytes;
	enum inflate_result r;

	if (size) {
		bytes = (struct str){ (const char *)data + 1, size - 1 };
		r = undo(data[0], bytes, size, whole);
		FUZZ_CHECK((undo(data[0], bytes, 1 + data[0] % 100, pieces) == INFLATE_OK) ==
			   (r == INFLATE_OK));
		if (r == INFLATE_OK)
			FUZZ_CHECK(str_equal(buf_str(whole), buf_str(pieces)));
	}
	arena_free(a);
	return 0;
}

static size_t deflate_text(struct str text, uint8_t *bytes, size_t size)
{
	z_stream z = { 0 };

	FUZZ_CHECK(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (z_const Bytef *)(uintptr_t)text.at;
	z.avail_in = (uInt)text.len;
	z.next_out = bytes;
	z.avail_out = (uInt)size;
	FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

/* Empty, short, long, just as long as allowed, one byte too long; each in both encodings. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const size_t lengths[] = { 0, 12, 5000, MOST, MOST + 1 };
	static char text[MOST + 1];
	struct str s = { text, 0 };
	size_t len;

	if (i / 2 >= sizeof(lengths) / sizeof(lengths[0]))
		return 0;
	s.len = lengths[i / 2];
	for (size_t k = 0; k < s.len; k++)
		text[k] = (char)('a' + k * k % 23);
	bytes[0] = (uint8_t)(7 * i | (i % 2 ? ZSTD_BIT : 0));
	if (i % 2) {
		len = ZSTD_compress(bytes + 1, size - 1, s.at, s.len, 3);
		FUZZ_CHECK(!ZSTD_isError(len));
	} else {
		bytes[0] &= (uint8_t)~ZSTD_BIT;
		len = deflate_text(s, bytes + 1, size - 1);
	}
	return len + 1;
}
