#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed character at the start of `bytes`; 0 when there is none. */
size_t utf8_length(const char *bytes, size_t count);

/* Whether the well-formed character of so many bytes steers what shows it: a control character, one that turns the
 * direction of text, or a separator of lines. */
bool utf8_is_control(const char *bytes, size_t length) __attribute__((nonnull));

/* As "\u202e", for a character of that kind. */
enum { UTF8_ESCAPE_SIZE = 7 };
void utf8_escape(const char *bytes, size_t length, char escape[static UTF8_ESCAPE_SIZE])
	__attribute__((nonnull));

/* Whether this is 1 to max_bytes of UTF-8. */
bool utf8_is_text(const char *bytes, size_t count, size_t max_bytes);
/* The same, without control characters. */
bool utf8_is_name(const char *bytes, size_t count, size_t max_bytes);

#endif
