#ifndef TOP_LINES_H
#define TOP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "lines.h"

/*
 * The first lines by time, or by arrival, of however many are offered, in bounded memory: at most so many lines and so
 * many bytes of text, but one line in any case. The order is total: position, writer, line.
 */
struct line_cursor {
	int64_t position; /* line_position() */
	int32_t writer;
	int64_t number;
};
int line_cursor_compare(const struct line_cursor *a, const struct line_cursor *b)
	__attribute__((nonnull));

struct top_line {
	int32_t writer;
	struct line line;
	char *text; /* the line's, of the list */
};

enum top_lines_order { TOP_EARLIEST, TOP_LATEST };

struct top_lines {
	enum line_order by;
	enum top_lines_order order;
	size_t limit;
	size_t bytes_limit;
	struct top_line *items; /* a heap with the last of them on top, until they are sorted */
	size_t count;
	size_t size;
	size_t bytes;
	bool is_cut; /* some were left out */
};

/* Ends with the arena. */
struct top_lines *top_lines_new(struct arena *a, enum line_order by, enum top_lines_order order,
				size_t limit, size_t bytes_limit)
	__attribute__((nonnull, returns_nonnull));

void top_lines_offer(struct top_lines *top, int32_t writer, const struct line *line)
	__attribute__((nonnull));

/* Whether no line of this position or after it would be kept any more. */
bool top_lines_is_beyond(const struct top_lines *top, int64_t position) __attribute__((nonnull));

/* Sorts them; no line is offered afterwards. */
void top_lines_sort(struct top_lines *top) __attribute__((nonnull));

#endif
