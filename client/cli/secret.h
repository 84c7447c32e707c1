#ifndef SECRET_H
#define SECRET_H

#include <stdio.h>

/* One line without its end, to be freed; NULL at the end of the file. */
char *secret_read_line(FILE *file) __attribute__((nonnull));

/* The same from standard input; where that is a terminal, asks and does not show what is typed. A
 * signal that ends the program meanwhile does so once the terminal has its echo back. */
char *secret_ask(const char *prompt) __attribute__((nonnull));

#endif
