#include "body.h"

#include <string.h>

void body_init(struct body *b, enum inflate_kind kind, size_t limit)
{
	b->limit = limit;
	if (kind == INFLATE_GZIP || kind == INFLATE_ZSTD)
		b->inflate = inflate_new(kind);
}

/* So small that it may always come in: what fills the memory are others. */
enum { SMALL_BYTES = 16 << 10 };

/* Counts what the body and its decoder hold now; false when all bodies together hold too much. */
static bool account(struct body *b)
{
	size_t now = b->bytes.size + inflate_memory(b->inflate);
	size_t total = atomic_fetch_add(b->memory, now - b->held) + now - b->held;

	b->held = now;
	return total <= b->memory_limit || b->bytes.size <= SMALL_BYTES;
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

enum body_result body_add(struct body *b, struct str piece)
{
	enum body_result r = b->inflate ? add_encoded(b, piece) : add_plain(b, piece);

	b->raw_bytes += piece.len;
	if (r != BODY_OK)
		return r;
	return account(b) ? BODY_OK : BODY_NO_MEMORY;
}

enum body_result body_end(struct body *b)
{
	if (b->inflate && inflate_end(b->inflate) != INFLATE_OK)
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
	buf_free(&b->bytes);
	if (b->held)
		atomic_fetch_sub(b->memory, b->held);
	b->held = 0;
}
