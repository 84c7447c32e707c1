#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The value of a run under a key, in eight bytes: a double, or one of the patterns that IEEE 754
 * leaves for NaN (documents have no NaN) with a tag and a number of 32 bits.
 */
typedef uint64_t cell;

enum cell_tag {
	CELL_NUMBER, /* a double, which is the whole number */
	CELL_MISSING,
	CELL_NULL,
	CELL_FALSE,
	CELL_TRUE,
	CELL_TEXT,    /* number of a text of the column */
	CELL_DECIMAL, /* the same: a number that a double does not represent exactly enough */
	CELL_SPECIAL, /* number of a list, an object, or several values of the column */
};

#define CELL_TAGGED UINT64_C(0xfff8000000000000)

static inline cell cell_of(enum cell_tag tag, uint32_t number)
{
	return CELL_TAGGED | ((uint64_t)tag << 32) | number;
}

static inline cell cell_of_double(double value)
{
	cell c;

	memcpy(&c, &value, sizeof(c));
	return c;
}

static inline enum cell_tag cell_tag(cell c)
{
	return (c & CELL_TAGGED) == CELL_TAGGED ? (enum cell_tag)((c >> 32) & 7) : CELL_NUMBER;
}

static inline uint32_t cell_number(cell c)
{
	return (uint32_t)c;
}

static inline double cell_double(cell c)
{
	double value;

	memcpy(&value, &c, sizeof(value));
	return value;
}

#endif
