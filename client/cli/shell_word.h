#ifndef SHELL_WORD_H
#define SHELL_WORD_H

#include "text.h"

/* Appends what a POSIX shell reads as this one word: quoted where it has to be. */
void shell_word(struct text *text, const char *word) __attribute__((nonnull));

#endif
