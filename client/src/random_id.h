#ifndef RANDOM_ID_H
#define RANDOM_ID_H

#include <stddef.h>

/* `length` random characters of a-z and 0-9, and a terminator. Never fails and never waits. */
void random_id(char *text, size_t length) __attribute__((nonnull));

#endif
