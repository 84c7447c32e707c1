#include "body.h"

#include <string.h>

#include "memory.h"

size_t body_most_raw(enum inflate_kind kind, size_t limit)
{
	return kind == INFLATE_NONE ? limit : limit + limit / 8 + 1024;
}

void body_init(struct body *b, enum inflate_kind kind, size_t limit, struct memory_share *share)
{
	b->limit = limit;
	b->raw_limit = body_most_raw(kind, limit);
	b->bytes.share = share;
	if (kind == INFLATE_GZIP || kind == INFLATE_ZSTD)
		b->inflate = inflate_new(kind);
}

static void count_inflate(struct body *b)
{
	size_t now = inflate_memory(b->inflate);

	if (!b->bytes.share || now == b->inflate_bytes)
		return;
	if (now > b->inflate_bytes)
		share_grow(b->bytes.share, now - b->inflate_bytes);
	else
		share_shrink(b->bytes.share, b->inflate_bytes - now);
	b->inflate_bytes = now;
}

/* False when the server's memory is full. */
static bool account(struct body *b)
{
	count_inflate(b);
	return !b->bytes.share ||
	       share_reserve(b->bytes.share,
			     BODY_REQUEST_BYTES + b->inflate_bytes + b->bytes.len * BODY_WEIGHT);
}

static enum body_result add_plain(struct body *b, struct str piece)
{
	if (piece.len > b->limit - b->bytes.len)
		return BODY_TOO_LARGE;
	buf_add_str(&b->bytes, piece);
	return BODY_OK;
}

static enum body_result add_encoded(struct body *b, struct str piece)
{
	switch (inflate_add(b->inflate, piece, b->limit, &b->bytes)) {
	case INFLATE_OK:
		return BODY_OK;
	case INFLATE_TOO_LARGE:
		return BODY_TOO_LARGE;
	default:
		return BODY_BROKEN;
	}
}

/* Bytes decoded before stay; if there are none, the piece itself is the body. */
static enum body_result take_broken(struct body *b, struct str piece)
{
	b->is_broken = true;
	return b->bytes.len ? BODY_OK : add_plain(b, piece);
}

static enum body_result take(struct body *b, struct str piece)
{
	enum body_result r;

	if (b->is_broken)
		return BODY_OK;
	r = b->inflate ? add_encoded(b, piece) : add_plain(b, piece);
	return r == BODY_BROKEN && b->takes_broken ? take_broken(b, piece) : r;
}

enum body_result body_add(struct body *b, struct str piece)
{
	enum body_result r;

	b->raw_bytes += piece.len;
	if (b->raw_bytes > b->raw_limit)
		return BODY_TOO_LARGE;
	r = take(b, piece);
	if (r != BODY_OK)
		return r;
	return account(b) ? BODY_OK : BODY_NO_MEMORY;
}

enum body_result body_end(struct body *b)
{
	if (b->inflate && inflate_end(b->inflate) != INFLATE_OK && !b->takes_broken)
		return BODY_BROKEN;
	inflate_free(b->inflate);
	b->inflate = NULL;
	memset(buf_reserve(&b->bytes, BODY_PADDING), 0, BODY_PADDING);
	return account(b) ? BODY_OK : BODY_NO_MEMORY;
}

void body_free(struct body *b)
{
	inflate_free(b->inflate);
	b->inflate = NULL;
	count_inflate(b);
	buf_free(&b->bytes);
}
