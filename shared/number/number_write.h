#ifndef NUMBER_WRITE_H
#define NUMBER_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT_MAX = 32 }; /* no number is longer; nothing is terminated */

/*
 * Writes the shortest text that reads back as `value` and returns its length; NaN, Infinity and -Infinity as
 * these words. A whole number of more than `plain_digits` digits, at most 17, has an exponent. Knows no locale.
 */
size_t number_write(double value, int plain_digits, char text[static NUMBER_TEXT_MAX]);
size_t number_write_int(int64_t value, char text[static NUMBER_TEXT_MAX]);

#endif
