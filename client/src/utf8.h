#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character at the start of `bytes`; 0 when there is none. */
size_t utf8_length(const char *bytes, size_t count);

/* Whether this is 1 to max_bytes of UTF-8 without control characters. */
bool utf8_is_name(const char *bytes, size_t count, size_t max_bytes);

#endif
