#ifndef BEST_VALUE_H
#define BEST_VALUE_H

#include <stdbool.h>

#include "rollup.h"

/*
 * The best value of a key, and what was known of another then. Cells tell first which values are worth reading:
 * one of them holds the best, and few those that may be the last before it.
 */
enum best_goal { BEST_MAX, BEST_MIN };

struct best_value {
	bool is_there;
	int64_t row;
	int64_t step;
	double number;
};

/*
 * Of finite values the greatest or the least; of equal ones that of the lowest step, then of the lowest row. A cell
 * that has one as great or as small, of those the one that begins at the lowest step: `found`, of other cells (NULL:
 * none yet), or one of these.
 */
const struct cell *best_cell(enum best_goal goal, const struct cell *found,
			     const struct cell *cells, uint32_t count);
void best_value_add(struct best_value *best, enum best_goal goal, const struct cell_values *values)
	__attribute__((nonnull));

/*
 * Where the best one lies: at the cell's steps, for what begins at a higher one has none before it; but those of
 * another writer go over the same steps, and have an equal value perhaps at a lower one. All cells are told.
 */
struct best_span {
	int64_t step_min, step_max;
	int64_t row_first, row_last;
};
struct best_span best_span_of(const struct cell *best) __attribute__((nonnull));
void best_span_add(struct best_span *span, enum best_goal goal, const struct cell *best,
		   const struct cell *cells, uint32_t count);

/*
 * What was known at a place: of the values with its step or a lower one those of the highest step, and of these that
 * of the place's own row, else of the highest. Which rows to look at, and from which step on: all cells are told
 * with known_span_begin(), and then again with known_span_add().
 */
struct known_span {
	int64_t step;      /* of the place */
	int64_t step_from; /* one that has a value for certain; INT64_MIN: none is known */
	int64_t row_first; /* more than row_last: there is nothing */
	int64_t row_last;
};
struct known_span known_span_of(const struct best_value *place) __attribute__((nonnull));
void known_span_begin(struct known_span *span, const struct cell *cells, uint32_t count);
void known_span_add(struct known_span *span, const struct cell *cells, uint32_t count);
void known_value_add(struct best_value *known, const struct best_value *place,
		     const struct cell_values *values) __attribute__((nonnull));

#endif
