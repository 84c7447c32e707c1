#include "codec_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "checksum.h"

enum {
	LEVEL = 1,             /* 3 buys less than one per cent on byte planes and costs a third */
	LEVEL_TAIL = -1,       /* soon compacted: up to twice as fast, at most a tenth larger */
	KEEP_BYTES = 16 << 20, /* of scratch, between uses */
	CHECKSUM_BYTES = 4,
	SMALL_BODY = 32, /* not worth a compressor's header */
};

struct codec *codec_new(void)
{
	struct codec *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->compress = ZSTD_createCCtx();
	c->decompress = ZSTD_createDCtx();
	if (!c->compress || !c->decompress)
		abort();
	ZSTD_CCtx_setParameter(c->compress, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(c->compress, ZSTD_c_checksumFlag, 0);
	return c;
}

void codec_free(struct codec *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->compress);
	ZSTD_freeDCtx(c->decompress);
	sections_free(&c->sections);
	buf_free(&c->raw);
	buf_free(&c->ints);
	buf_free(&c->mapped);
	buf_free(&c->fields);
	free(c);
}

size_t codec_size(const struct codec *c)
{
	size_t size = c->raw.size + c->ints.size + c->mapped.size + c->fields.size;

	for (int i = 0; i < SECTIONS; i++)
		size += c->sections.section[i].size;
	return size + ZSTD_sizeof_CCtx(c->compress) + ZSTD_sizeof_DCtx(c->decompress);
}

void codec_count_in(struct codec *c, struct memory_share *share)
{
	struct buf *scratch[] = { &c->raw, &c->ints, &c->mapped, &c->fields };

	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		buf_count_in(scratch[i], share);
	for (int i = 0; i < SECTIONS; i++)
		buf_count_in(&c->sections.section[i], share);
}

int64_t *codec_ints(struct buf *scratch, uint32_t count)
{
	size_t size = (count + (size_t)1) * sizeof(int64_t);

	if (scratch->size > KEEP_BYTES && size < KEEP_BYTES)
		buf_free(scratch);
	buf_clear(scratch);
	return (int64_t *)(void *)buf_reserve(scratch, size);
}

/* A cleared buffer, freed first if it had grown too large. */
static struct buf *fresh(struct buf *b)
{
	if (b->size > KEEP_BYTES)
		buf_free(b);
	buf_clear(b);
	return b;
}

static void seal(struct buf *out, size_t start)
{
	buf_add_u32(out, (uint32_t)checksum64(out->at + start, out->len - start));
}

static void head(struct buf *out, unsigned kind, size_t body_len)
{
	buf_add_byte(out, (char)kind);
	buf_add_byte(out, FRAME_VERSION);
	buf_add_varint(out, body_len);
}

/*
 * Decompressing a small block takes four times as long as all the rest of
 * reading it, and most of its content is noise: it must save an eighth.
 * Chunks, which are kept for years, need only be shorter.
 */
static bool pays(enum frame_kind kind, size_t len, size_t plain_len)
{
	return len < (kind == FRAME_BLOCK ? plain_len - plain_len / 8 : plain_len);
}

static void write_plain(unsigned kind, struct str body, struct buf *out)
{
	size_t start = out->len;

	head(out, kind | FRAME_PLAIN, body.len);
	buf_add_str(out, body);
	seal(out, start);
}

static int level_of(enum frame_kind kind)
{
	return kind == FRAME_BLOCK || kind == FRAME_PACK ? LEVEL_TAIL : LEVEL;
}

void frame_write_body(struct codec *c, enum frame_kind kind, struct str body, struct buf *out)
{
	size_t start = out->len;
	size_t bound = ZSTD_compressBound(body.len);
	size_t len = body.len;

	assert(body.len <= FRAME_MAX_BODY);
	head(out, kind, body.len);
	if (body.len > SMALL_BODY) {
		char *to = buf_reserve(out, bound);

		ZSTD_CCtx_setParameter(c->compress, ZSTD_c_compressionLevel, level_of(kind));
		len = ZSTD_compress2(c->compress, to, bound, body.at, body.len);
		assert(!ZSTD_isError(len));
	}
	if (pays(kind, len, body.len)) {
		out->len += len;
		seal(out, start);
	} else {
		out->len = start;
		write_plain(kind, body, out);
	}
}

void frame_write(struct codec *c, enum frame_kind kind, struct buf *out)
{
	sections_join(&c->sections, fresh(&c->raw));
	frame_write_body(c, kind, buf_str(&c->raw), out);
	sections_clear(&c->sections);
}

void frame_write_small(struct codec *c, enum frame_kind kind, size_t most, struct buf *out)
{
	sections_join(&c->sections, fresh(&c->raw));
	if (c->raw.len <= most)
		write_plain(kind, buf_str(&c->raw), out);
	else
		frame_write_body(c, kind, buf_str(&c->raw), out);
	sections_clear(&c->sections);
}

err_t frame_damaged(struct arena *a, enum frame_kind kind)
{
	static const char *const names[] = { "?",        "block", "chunk", "rollup",
					     "key list", "lines", "pack" };

	return err_new(a, ERR_INTERNAL, "a stored %s is damaged", names[kind]);
}

struct frame_head {
	unsigned kind;
	unsigned version;
	uint64_t body_len;
	struct str payload;
};

/* Takes a frame apart; false if it is not a whole frame. */
static bool open_frame(struct str bytes, struct frame_head *h)
{
	const unsigned char *p = (const unsigned char *)bytes.at;
	const unsigned char *end = p + bytes.len - CHECKSUM_BYTES;
	uint32_t sum = 0;

	if (bytes.len < 3 + CHECKSUM_BYTES)
		return false;
	for (int i = 0; i < CHECKSUM_BYTES; i++)
		sum |= (uint32_t)end[i] << (8 * i);
	if (sum != (uint32_t)checksum64(p, bytes.len - CHECKSUM_BYTES))
		return false;
	h->kind = *p++;
	h->version = *p++;
	h->body_len = 0;
	for (unsigned shift = 0; p < end && shift < 35; shift += 7) {
		h->body_len |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80)
			break;
	}
	h->payload = (struct str){ (const char *)p, (size_t)(end - p) };
	return h->body_len <= FRAME_MAX_BODY;
}

bool frame_is_plain(enum frame_kind kind, struct str bytes)
{
	return bytes.len && (unsigned char)bytes.at[0] == (kind | FRAME_PLAIN);
}

struct str frame_plain_body(struct str bytes)
{
	struct frame_head h;
	bool whole = open_frame(bytes, &h);

	assert(whole && h.kind & FRAME_PLAIN);
	(void)whole;
	return h.payload;
}

static bool inflate(struct codec *c, const struct frame_head *h)
{
	char *to = buf_reserve(fresh(&c->raw), h->body_len);
	size_t len =
		ZSTD_decompressDCtx(c->decompress, to, h->body_len, h->payload.at, h->payload.len);

	c->raw.len = h->body_len;
	return !ZSTD_isError(len) && len == h->body_len;
}

err_t frame_read(struct codec *c, struct arena *a, enum frame_kind kind, struct str bytes,
		 struct sections_reader *ret_reader)
{
	struct frame_head h;
	struct str body;

	if (!open_frame(bytes, &h) || (h.kind & ~(unsigned)FRAME_PLAIN) != (unsigned)kind)
		return frame_damaged(a, kind);
	if (h.version != FRAME_VERSION)
		return err_new(a, ERR_INTERNAL,
			       "unsupported version %u of stored data, expected %d", h.version,
			       FRAME_VERSION);
	/* The decoded body is at least as large. */
	if (!arena_may_read(a, h.body_len))
		return err_new(a, ERR_BUSY, "the server's memory is in use");
	if (h.kind & FRAME_PLAIN) {
		body = h.payload;
	} else {
		if (!inflate(c, &h))
			return frame_damaged(a, kind);
		body = buf_str(&c->raw);
	}
	return sections_open(body, ret_reader) ? NULL : frame_damaged(a, kind);
}
