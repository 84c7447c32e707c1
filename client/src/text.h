#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text that grows. An allocation that fails sets `failed`; what follows is ignored, and the one who
 * uses the text looks once at the end. All zero is a good start; data is NULL while it is empty.
 */
struct text {
	char *data;
	size_t length;
	size_t capacity;
	bool failed;
};

/* For tables of names, which are in memory only. */
uint64_t text_hash(const char *string) __attribute__((nonnull));

void text_deinit(struct text *text) __attribute__((nonnull));

/* Empties it and keeps up to keep_bytes of memory for the next use. */
void text_clear(struct text *text, size_t keep_bytes) __attribute__((nonnull));

void text_add(struct text *text, const char *bytes, size_t count) __attribute__((nonnull(1)));
void text_str(struct text *text, const char *string) __attribute__((nonnull));
/* As one segment of a path or one value of a query: percent-encoded but for what RFC 3986 calls unreserved. */
void text_escaped(struct text *text, const char *string) __attribute__((nonnull));
void text_int(struct text *text, int64_t number) __attribute__((nonnull));
void text_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull));

/* Bytes of the text that a JSON string of these bytes stands for: see text_json_string(). */
size_t text_json_length(const char *bytes, size_t count) __attribute__((nonnull));
/* A JSON string with its quotes. Bytes that are no UTF-8, and NUL, become U+FFFD. */
void text_json_string(struct text *text, const char *bytes, size_t count)
	__attribute__((nonnull(1)));

/* A member of the object that `text` is: ,"name":"value", without the comma behind "{". NULL: nothing. */
void text_json_member(struct text *text, const char *name, const char *value)
	__attribute__((nonnull(1, 2)));

/* The shortest digits that read back as the same double; NaN, Infinity, -Infinity as literals. */
void text_json_number(struct text *text, double number) __attribute__((nonnull));

/* Microseconds since 1970 as seconds with six decimals. */
void text_json_time(struct text *text, int64_t time_us) __attribute__((nonnull));

/* The text, terminated, or NULL when an allocation failed. It still belongs to `text`. */
const char *text_c_string(struct text *text) __attribute__((nonnull));

/* Hands the terminated text over to the caller, who frees it; NULL when an allocation failed. */
char *text_take(struct text *text) __attribute__((nonnull));

#endif
