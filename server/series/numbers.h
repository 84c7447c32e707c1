#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct codec;
struct sections_reader;

/*
 * A column of doubles as integers, bit-exact but for the payloads of NaN. The form is found by trying
 * on a sample, and the shortest that holds for all is used:
 *
 *	CONST    all the same bits
 *	DECIMAL  i / 10^e with a whole i below 2^52: counters, rounded values, times
 *	FLOAT    exactly a float: most of what a training computes
 *	DOUBLE   anything
 */
void numbers_write(struct codec *c, const double *numbers, uint32_t count)
	__attribute__((nonnull(1)));

/* False, with the reader failed, if the bytes are not valid. */
bool numbers_read(struct codec *c, struct sections_reader *r, uint32_t count, double *ret_numbers)
	__attribute__((nonnull(1, 2), warn_unused_result));

void numbers_skip(struct sections_reader *r, uint32_t count) __attribute__((nonnull));

#endif
