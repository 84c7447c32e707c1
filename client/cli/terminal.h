#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of standard output: the terminal's, else COLUMNS, else 80. */
int terminal_width(void);

/* Whether to use colours: a terminal, and neither NO_COLOR nor TERM=dumb. */
bool terminal_has_colour(void);

/* Columns that terminal_print() takes for a text where it cuts nothing: one for each character that is seen. */
size_t terminal_columns(const char *text) __attribute__((nonnull));

/* Prints text as one line: colours, titles and links of whoever wrote it are left out, other control characters
 * become spaces, those that turn the direction of text among them. What has more than `columns` ends there with "…" on a terminal; whoever reads what is no terminal
 * gets it whole. Returns the columns used. */
size_t terminal_print(const char *text, size_t columns) __attribute__((nonnull));

#endif
