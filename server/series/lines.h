#ifndef LINES_H
#define LINES_H

#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;
struct codec;

/*
 * Console lines of one writer as bytes. Numbers may be sparse and lines may be rewritten (a
 * progress bar): if several have one number, the one from the later block wins.
 */
enum {
	LINES_PER_CHUNK = 1024, /* line numbers, counted from 0, that one stored chunk covers */
	LINES_MAX = 1 << 20,    /* in one block */
};

enum line_stream { LINE_STDOUT, LINE_STDERR };

struct line {
	int64_t number;
	int64_t time_us; /* since 1970, UTC */
	int64_t arrival; /* the greater, the later it came to the run; those of one block came together */
	enum line_stream stream;
	struct str text; /* without the line end */
};

struct lines {
	uint32_t count;
	struct line *items;
};

/*
 * One block of all lines, ascending by number. Blocks come oldest first; if they share a number,
 * also within a block, the later line wins. Texts are not copied.
 */
void lines_merge(struct arena *a, const struct lines *blocks, uint32_t count,
		 struct lines *ret_lines) __attribute__((nonnull(1, 4)));

/*
 * Sets the arrival of all lines of a block. Blocks of the tail do not store it: it is their number.
 */
void lines_arrive(struct lines *lines, int64_t arrival) __attribute__((nonnull));

/* The order of lines of several writers. */
enum line_order { LINES_BY_TIME, LINES_BY_ARRIVAL };
int64_t line_position(const struct line *line, enum line_order by) __attribute__((nonnull));

/* The first and last position of the lines; if there are none, the last is before the first. */
void lines_span(const struct lines *lines, enum line_order by, int64_t *ret_first,
		int64_t *ret_last) __attribute__((nonnull));

/* Their size decoded. */
uint64_t lines_size(const struct lines *lines) __attribute__((nonnull));

/* `lines` must be ascending without repeats, as lines_merge() leaves them. */
void lines_encode(struct codec *c, const struct lines *lines, struct buf *out)
	__attribute__((nonnull));
err_t lines_decode(struct codec *c, struct arena *a, struct str bytes, struct lines *ret_lines)
	__attribute__((nonnull, warn_unused_result));

#endif
