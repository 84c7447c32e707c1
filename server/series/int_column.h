#ifndef INT_COLUMN_H
#define INT_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

struct codec;
struct sections_reader;

/*
 * A column of 64-bit integers in as few bytes as they need: the rest after subtracting the
 * smallest, or after taking differences and subtracting the smallest of these, whichever is
 * shorter. Equal numbers, and numbers a fixed distance apart, take only a header.
 */
void int_column_write(struct codec *c, const int64_t *ints, uint32_t count)
	__attribute__((nonnull(1)));

/* False, with the reader failed, if the bytes are not valid. */
bool int_column_read(struct sections_reader *r, uint32_t count, int64_t *ret_ints)
	__attribute__((nonnull(1), warn_unused_result));

/* Skips a column without reading it. */
void int_column_skip(struct sections_reader *r, uint32_t count) __attribute__((nonnull));

/* Bits an integer will take, times 16, estimated from these. */
uint32_t int_column_cost(const int64_t *ints, uint32_t count) __attribute__((nonnull));

enum { INT_COLUMN_SAMPLE = 64 };

/* At most INT_COLUMN_SAMPLE positions that represent all of `count`: ret_at[0 … answer - 1]. */
uint32_t int_column_sample(uint32_t count, uint32_t ret_at[static INT_COLUMN_SAMPLE]);

#endif
