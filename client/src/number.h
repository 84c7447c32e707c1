#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "number_write.h"

/* Writes the shortest digits that strtod reads back as the same double; NaN, Infinity and -Infinity as
 * these words. Returns the length. Knows no locale. */
size_t number_format(double number, char text[static NUMBER_TEXT_MAX]);

/* Reads all of `text` as JSON writes numbers (and the words above); false for anything else. */
bool number_parse(const char *text, size_t length, double *ret_number);

#endif
