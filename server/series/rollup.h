#ifndef ROLLUP_H
#define ROLLUP_H

#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;
struct codec;

/*
 * A cell sums up CELL_VALUES consecutive numbers of one (writer, key), by their absolute index:
 * cell i of a writer's key holds values 256 i to 256 i + 255, wherever they are stored. Charts over
 * many points read cells only.
 *
 * A cell that is not full can be continued with the values that follow, and is then the same, bit
 * for bit, as if it had been built at once: sums are made in the order of values. So an answer does
 * not depend on what has been compacted.
 */
enum {
	CELL_VALUES = 256,
	CELLS_PER_CHUNK = 16, /* CHUNK_VALUES / CELL_VALUES */
};

struct cell {
	int64_t row_first, row_last;
	int64_t step_first, step_last; /* of the first and last value; steps may go back */
	int64_t step_min, step_max;
	double first, last; /* of row_first and row_last, whatever they are */
	double min, max;    /* of the finite values; NaN when n is 0 */
	double sum;         /* of the finite values, in units of cell_unit() */
	uint32_t n;         /* finite values */
	uint32_t nan, pinf, ninf;
};

/*
 * Finite values may have a sum that is not a finite double: 1e308 and 1e308. If the least or the
 * greatest is beyond CELL_LARGE, the sum is kept in units of 2^64; else in ones.
 */
#define CELL_LARGE 0x1p960
static inline double cell_unit(double min, double max)
{
	return -min >= CELL_LARGE || max >= CELL_LARGE ? 0x1p64 : 1;
}

/* A sum in units of `from` in units of `to`, which are the same or larger. */
static inline double cell_rescaled(double sum, double from, double to)
{
	return from < to ? sum * 0x1p-64 : sum;
}

/* Values in the cell, finite or not; 0: it is empty, as { 0 } is. */
static inline uint32_t cell_count(const struct cell *c)
{
	return c->n + c->nan + c->pinf + c->ninf;
}

/* One more value; rows of one writer only rise. */
void cell_add(struct cell *c, int64_t row, int64_t step, double value) __attribute__((nonnull));

/* All of `other` into `c`: first and last by row number, the sum in the order of calls. */
void cell_merge(struct cell *c, const struct cell *other) __attribute__((nonnull));

/*
 * Adds values that follow each other to cells that follow each other. `index` is the absolute index
 * of the first value; cells[0] is the cell of index / CELL_VALUES and may be begun already. Writes
 * as many cells as the values reach (begins those after the first from zero); returns how many.
 */
struct cell_values {
	uint32_t count;
	const int64_t *rows;
	const int64_t *steps;
	const double *numbers;
};
uint32_t rollup_add(struct cell *cells, uint64_t index, const struct cell_values *values)
	__attribute__((nonnull));

/* Cells as bytes, about 0.1 byte a value; the last cell may be incomplete. */
void rollup_encode(struct codec *c, const struct cell *cells, uint32_t count, struct buf *out)
	__attribute__((nonnull));
err_t rollup_decode(struct codec *c, struct arena *a, struct str bytes, struct cell **ret_cells,
		    uint32_t *ret_count) __attribute__((nonnull, warn_unused_result));

/* The same into room for so many cells; more of them are an error. */
err_t rollup_decode_into(struct codec *c, struct arena *a, struct str bytes, struct cell *cells,
			 uint32_t room, uint32_t *ret_count)
	__attribute__((nonnull, warn_unused_result));

#endif
