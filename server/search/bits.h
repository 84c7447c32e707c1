#ifndef BITS_H
#define BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* A bit for each row; those after the last row are 0. */
struct bits {
	uint64_t *words;
	size_t words_count;
	size_t rows;
};

static inline struct bits bits_new(struct arena *a, size_t rows)
{
	size_t words = (rows + 255) / 256 * 4; /* whole chunks */

	return (struct bits){ arena_new_array(a, uint64_t, words + 1), words, rows };
}

static inline void bits_and(struct bits b, struct bits with)
{
	for (size_t i = 0; i < b.words_count; i++)
		b.words[i] &= with.words[i];
}

static inline void bits_or(struct bits b, struct bits with)
{
	for (size_t i = 0; i < b.words_count; i++)
		b.words[i] |= with.words[i];
}

/* Removes the rows from `b`. */
static inline void bits_take(struct bits b, struct bits rows)
{
	for (size_t i = 0; i < b.words_count; i++)
		b.words[i] &= ~rows.words[i];
}

static inline struct bits bits_copy(struct arena *a, struct bits from)
{
	struct bits b = bits_new(a, from.rows);

	bits_or(b, from);
	return b;
}

static inline struct bits bits_but(struct arena *a, struct bits from, struct bits rows)
{
	struct bits b = bits_copy(a, from);

	bits_take(b, rows);
	return b;
}

static inline size_t bits_count(struct bits b)
{
	size_t count = 0;

	for (size_t i = 0; i < b.words_count; i++)
		count += (size_t)__builtin_popcountll(b.words[i]);
	return count;
}

/* The first set row from `row` on; b.rows when there is none. */
static inline size_t bits_next(struct bits b, size_t row)
{
	uint64_t word;

	if (row >= b.rows)
		return b.rows;
	word = b.words[row / 64] & UINT64_MAX << row % 64;
	for (size_t i = row / 64;; word = b.words[i]) {
		if (word)
			return i * 64 + (size_t)__builtin_ctzll(word);
		if (++i >= b.words_count)
			return b.rows;
	}
}

#endif
