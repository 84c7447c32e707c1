#ifndef BACKLOG_H
#define BACKLOG_H

#include <stddef.h>
#include <stdint.h>

/*
 * Records that were logged and are not confirmed yet, one after another in segments, in order.
 *
 *	head                                             tail
 *	[....rrrrrrrr] -> [rrrrrrrrrrr.] -> ... -> [rrrrrr______]
 *	     ^ released up to here                        ^ appended here
 *
 * The one lock of the run guards every call. The sender reads the bytes between head and a
 * position it took under the lock without holding it: what was written once never moves or changes,
 * and only the sender releases. So the sender formats and sends while others append.
 */
struct segment {
	struct segment *next;
	size_t used;
	size_t size;
	_Alignas(8) char data[];
};

struct backlog {
	struct segment *head, *tail;
	struct segment *spare; /* some empty ones, so that appending seldom allocates */
	size_t spare_count;
	size_t head_offset;
	size_t bytes;  /* in segments that hold something */
	size_t queued; /* in records that are not released */
	size_t limit_bytes;
};

struct backlog_cursor {
	struct segment *segment; /* NULL: the beginning of an empty backlog */
	size_t offset;
};

enum backlog_result { BACKLOG_OK = 0, BACKLOG_FULL, BACKLOG_NO_MEMORY };

void backlog_init(struct backlog *backlog, size_t limit_bytes) __attribute__((nonnull));
void backlog_deinit(struct backlog *backlog) __attribute__((nonnull));

/* Room for a record of `size` bytes, a multiple of 8. It is part of the backlog when this returns:
 * fill it before the lock is given back. */
enum backlog_result backlog_append(struct backlog *backlog, size_t size, void **ret_record)
	__attribute__((nonnull));

struct backlog_cursor backlog_begin(const struct backlog *backlog) __attribute__((nonnull));
struct backlog_cursor backlog_end(const struct backlog *backlog) __attribute__((nonnull));

/* The record at *cursor, or NULL at `end`; needs no lock. Move on by adding
 * the size of the record to cursor->offset. */
const void *backlog_at(struct backlog_cursor *cursor, struct backlog_cursor end)
	__attribute__((nonnull));

/* Gives back what is before `cursor`. */
void backlog_release(struct backlog *backlog, struct backlog_cursor cursor)
	__attribute__((nonnull));

#endif
