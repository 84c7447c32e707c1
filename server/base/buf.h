#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "str.h"

/*
 * A growing run of bytes on the heap. Starts as { 0 }; buf_free() ends it, buf_clear() keeps the
 * memory. Growth never fails (see arena.h). That of buf_new() ends with an arena.
 */
struct memory_share;

struct buf {
	char *at;
	size_t len;
	size_t size;
	struct memory_share *share; /* that its memory counts in; NULL: none (memory.h) */
};

struct arena;

/*
 * A buf whose memory is freed when the arena is reset, and counts in the arena's share. The struct
 * itself lives in the arena.
 */
struct buf *buf_new(struct arena *a) __attribute__((nonnull, returns_nonnull));
void buf_free(struct buf *b);
/* Its memory counts there from now on; NULL: nowhere. */
void buf_count_in(struct buf *b, struct memory_share *share) __attribute__((nonnull(1)));
void buf_clear(struct buf *b);
/* Gives back the memory after its bytes. */
void buf_trim(struct buf *b) __attribute__((nonnull));

/* The slow path of buf_reserve(), when there is not enough room. */
char *buf_grow(struct buf *b, size_t more) __attribute__((nonnull, returns_nonnull));

/*
 * Room for `more` bytes after len; the caller writes there and adds to len. Inline, like the
 * functions that add a few bytes: large answers are made of millions of such calls.
 */
static inline char *buf_reserve(struct buf *b, size_t more)
{
	return b->size - b->len > more ? b->at + b->len : buf_grow(b, more);
}

static inline void buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (!len)
		return;
	memcpy(buf_reserve(b, len), bytes, len);
	b->len += len;
}

static inline void buf_add_byte(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->len++;
}

void buf_add_str(struct buf *b, struct str s) __attribute__((nonnull));
void buf_add_text(struct buf *b, const char *text) __attribute__((nonnull));
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull));

/* Little-endian integers and a LEB128 varint, for our own formats. */
void buf_add_u32(struct buf *b, uint32_t value) __attribute__((nonnull));
void buf_add_u64(struct buf *b, uint64_t value) __attribute__((nonnull));
void buf_add_varint(struct buf *b, uint64_t value) __attribute__((nonnull));

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->at ? b->at : "", b->len };
}

#endif
