#ifndef ROW_MAP_H
#define ROW_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

/*
 * The writer of each of a run's rows, in four bytes each: every value of a
 * row must come from the same writer and have the same step. If a run has
 * more rows than a map holds, it is checked window by window.
 */
enum { ROW_MAP_ROWS = 16 << 20 };

struct row_map {
	int64_t first; /* rows first to first + count - 1 */
	int64_t count;
	uint32_t *seen; /* 0: not seen yet */
};

void row_map_init(struct arena *a, struct row_map *m, int64_t first, int64_t count)
	__attribute__((nonnull));

enum row_state {
	ROW_OUTSIDE,
	ROW_NEW,   /* seen for the first time */
	ROW_KNOWN, /* seen before, with this writer and step */
	ROW_OTHER, /* seen before with another one */
};
enum row_state row_map_note(struct row_map *m, int64_t row, int32_t writer, int64_t step)
	__attribute__((nonnull));

/* Rows that were not seen: how many, and the first sequence of them; 0: all were. */
struct row_gap {
	int64_t missing;
	int64_t first;
	int64_t last;
};
struct row_gap row_map_gap(const struct row_map *m) __attribute__((nonnull));

#endif
