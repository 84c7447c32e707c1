#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number_write.h"

/*
 * Numbers between text and double, both ways exact: reading gives the nearest double (as strtod
 * does, ten times faster), writing gives the shortest text that reads back as the same double.
 */

/* A whole number in a double is exact up to here. */
#define JSON_INTEGER_EXACT INT64_C(9007199254740992)

enum json_number_form {
	JSON_NUMBER_REAL,        /* has a point or an exponent */
	JSON_NUMBER_INTEGER,     /* digits only, at most 2^53: the double is the number */
	JSON_NUMBER_BIG_INTEGER, /* digits only, beyond 2^53: more exact than the double */
};

struct json_number {
	double value; /* a number beyond the range of double is an infinity */
	enum json_number_form form;
};

/*
 * Reads the number of JSON's grammar that begins at `text` and returns the byte after it, NULL when
 * none begins there. At least 16 bytes after the number must be readable. No locale matters.
 */
const char *json_number_read(const char *text, struct json_number *ret_number)
	__attribute__((nonnull, warn_unused_result));

enum { JSON_NUMBER_TEXT_SIZE = NUMBER_TEXT_MAX, JSON_PLAIN_DIGITS = 17 };

/*
 * Writes the shortest text that reads back as `value`, without NUL, and returns its length. Whole
 * numbers below 1e17 have no exponent. NaN, Infinity and -Infinity are written as these bare words:
 * a caller that needs them quoted checks isfinite() first.
 */
static inline size_t json_number_write(double value, char text[static JSON_NUMBER_TEXT_SIZE])
{
	return number_write(value, JSON_PLAIN_DIGITS, text);
}

#endif
