/*
 * decimal.h - decimal numbers in the texts of tools, whatever the program's locale is: strtod would
 * expect a comma in some.
 */
#ifndef CAIRN_SAMPLER_DECIMAL_H
#define CAIRN_SAMPLER_DECIMAL_H

#include <stdbool.h>

/* Reads "-12", "3.5", "1.5e-05"; moves `text` behind it. Integers below 2^53 are exact. False,
 * and nothing moves, when there is no number. */
bool decimal_read(const char **text, double *ret_number);

/* The number of a text with blanks around it and a unit behind, such as " 8 GT/s" or "42%";
 * `ret_unit`, which may be NULL, is where the unit begins. False for "N/A" and the like. */
bool decimal_with_unit(const char *text, double *ret_number, const char **ret_unit);

#endif
