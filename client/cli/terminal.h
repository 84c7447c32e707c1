#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of standard output: the terminal's, else COLUMNS, else 80. */
int terminal_width(void);

/* Whether to use colours: a terminal, and neither NO_COLOR nor TERM=dumb. */
bool terminal_has_colour(void);

/* Columns that a piece of UTF-8 takes: one for each character. */
size_t terminal_columns(const char *text);

/* Prints text as one line: colours, titles and links of whoever wrote it are left out, other control characters
 * become spaces; no more than `columns`. Returns the columns used. */
size_t terminal_print(const char *text, size_t columns);

#endif
