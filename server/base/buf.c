#include "buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

static void free_bytes(void *p)
{
	buf_free(p);
}

struct buf *buf_new(struct arena *a)
{
	struct buf *b = arena_new_of(a, struct buf);

	arena_defer(a, free_bytes, b);
	return b;
}

void buf_free(struct buf *b)
{
	if (!b)
		return;
	free(b->at);
	*b = (struct buf){ 0 };
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

char *buf_reserve(struct buf *b, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(b->len, more, &need))
		abort();
	if (need > b->size || !b->at) {
		size_t size = b->size ? b->size : 256;
		char *grown;

		while (size < need)
			size *= 2;
		grown = realloc(b->at, size);
		if (!grown) {
			fprintf(stderr, "cairn: out of memory allocating %zu bytes\n", size);
			abort();
		}
		b->at = grown;
		b->size = size;
	}
	return b->at + b->len;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (!len)
		return;
	memcpy(buf_reserve(b, len), bytes, len);
	b->len += len;
}

void buf_add_str(struct buf *b, struct str s)
{
	buf_add(b, s.at, s.len);
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_add_byte(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->len++;
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
	unsigned char bytes[4];

	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	buf_add(b, bytes, sizeof(bytes));
}

void buf_add_u64(struct buf *b, uint64_t value)
{
	buf_add_u32(b, (uint32_t)value);
	buf_add_u32(b, (uint32_t)(value >> 32));
}

void buf_add_varint(struct buf *b, uint64_t value)
{
	while (value >= 0x80) {
		buf_add_byte(b, (char)(value | 0x80));
		value >>= 7;
	}
	buf_add_byte(b, (char)value);
}
