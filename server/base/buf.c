#include "buf.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "memory.h"

static void free_bytes(void *p)
{
	buf_free(p);
}

struct buf *buf_new(struct arena *a)
{
	struct buf *b = arena_new_of(a, struct buf);

	b->share = arena_share(a);
	arena_defer(a, free_bytes, b);
	return b;
}

void buf_free(struct buf *b)
{
	if (!b)
		return;
	free(b->at);
	if (b->share)
		share_shrink(b->share, b->size);
	*b = (struct buf){ .share = b->share };
}

void buf_count_in(struct buf *b, struct memory_share *share)
{
	if (b->share)
		share_shrink(b->share, b->size);
	b->share = share;
	if (share)
		share_grow(share, b->size);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

static void enlarge(struct buf *b, size_t need)
{
	size_t size = b->size ? b->size : 256;
	char *grown;

	while (size < need)
		size *= 2;
	grown = realloc(b->at, size);
	if (!grown) {
		fprintf(stderr, "cairn: out of memory allocating %zu bytes\n", size);
		abort();
	}
	if (b->share)
		share_grow(b->share, size - b->size);
	b->at = grown;
	b->size = size;
}

void buf_trim(struct buf *b)
{
	size_t size = b->len ? b->len : 1;
	char *trimmed = b->at && size < b->size ? realloc(b->at, size) : NULL;

	if (!trimmed)
		return;
	if (b->share)
		share_shrink(b->share, b->size - size);
	b->at = trimmed;
	b->size = size;
}

char *buf_grow(struct buf *b, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(b->len, more, &need))
		abort();
	if (need > b->size || !b->at)
		enlarge(b, need);
	return b->at + b->len;
}

void buf_add_str(struct buf *b, struct str s)
{
	buf_add(b, s.at, s.len);
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_list again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
}

void buf_add_u32(struct buf *b, uint32_t value)
{
	value = htole32(value);
	buf_add(b, &value, sizeof(value));
}

void buf_add_u64(struct buf *b, uint64_t value)
{
	value = htole64(value);
	buf_add(b, &value, sizeof(value));
}

void buf_add_varint(struct buf *b, uint64_t value)
{
	while (value >= 0x80) {
		buf_add_byte(b, (char)(value | 0x80));
		value >>= 7;
	}
	buf_add_byte(b, (char)value);
}
