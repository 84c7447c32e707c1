#ifndef BEST_VALUE_H
#define BEST_VALUE_H

#include <stdbool.h>

#include "rollup.h"

/*
 * The best value of a key, and the value of another at that time. Cells show first which values
 * need reading: one of them has the best, and few have those that may be the last before it.
 */
enum best_goal { BEST_MAX, BEST_MIN };

struct best_value {
	bool is_there;
	int64_t row;
	int64_t step;
	double number;
};

/*
 * The greatest or the least of finite values; if several are equal, that of the lowest step, then
 * of the lowest row. best_cell() returns the cell with that value, if several the one that begins
 * at the lowest step: `found`, of other cells (NULL: none yet), or one of these.
 */
const struct cell *best_cell(enum best_goal goal, const struct cell *found,
			     const struct cell *cells, uint32_t count);
void best_value_add(struct best_value *best, enum best_goal goal, const struct cell_values *values)
	__attribute__((nonnull));

/*
 * The range that has the best value: the cell's steps, for a cell that begins at a higher one has
 * none before it; but cells of another writer cover the same steps, and may have an equal value at
 * a lower one. Call best_span_add() with all cells.
 */
struct best_span {
	int64_t step_min, step_max;
	int64_t row_first, row_last;
};
struct best_span best_span_of(const struct cell *best) __attribute__((nonnull));
void best_span_add(struct best_span *span, enum best_goal goal, const struct cell *best,
		   const struct cell *cells, uint32_t count);

/*
 * The value known at a position: among the values with its step or a lower one,
 * those of the highest step, and among these that of the position's own row,
 * else of the highest. The span is the rows to read, and from which step on:
 * pass all cells to known_span_begin(), and then again to known_span_add().
 */
struct known_span {
	int64_t step;      /* of the position */
	int64_t step_from; /* a step that certainly has a value; INT64_MIN: none is known */
	int64_t row_first; /* more than row_last: there is nothing */
	int64_t row_last;
};
struct known_span known_span_of(const struct best_value *at) __attribute__((nonnull));
void known_span_begin(struct known_span *span, const struct cell *cells, uint32_t count);
void known_span_add(struct known_span *span, const struct cell *cells, uint32_t count);
void known_value_add(struct best_value *known, const struct best_value *at,
		     const struct cell_values *values) __attribute__((nonnull));

#endif
