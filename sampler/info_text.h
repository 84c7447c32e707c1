/*
 * info_text.h - JSON written into a fixed buffer, for the metadata.
 *
 * A member that does not fit is left out whole: it is written and, if there was no room, removed.
 * Bytes that are not UTF-8 become U+FFFD, so the text is always valid JSON.
 */
#ifndef CAIRN_SAMPLER_INFO_TEXT_H
#define CAIRN_SAMPLER_INFO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct info_text {
	char *bytes;
	size_t length;
	size_t size;
	bool overflow;
	bool comma; /* before the next member */
};

/* A point to come back to. */
struct info_point {
	size_t length;
	bool comma;
};

/* Begins the outermost object. `size` is at least 64. */
void info_text_begin(struct info_text *text, char *bytes, size_t size);
/* Ends it and adds the NUL. */
void info_text_end(struct info_text *text);

struct info_point info_point(const struct info_text *text);
/* Takes back what came after the point if it did not fit. */
void info_settle(struct info_text *text, struct info_point point);

/* `name` NULL: an element of an array. */
void info_string(struct info_text *text, const char *name, const char *value);
void info_number(struct info_text *text, const char *name, uint64_t value);
/* Large counts of bytes are strings of digits, as JSON readers keep only 53 bits of a number. */
void info_bytes(struct info_text *text, const char *name, uint64_t value);
void info_object_begin(struct info_text *text, const char *name);
void info_object_end(struct info_text *text);
void info_array_begin(struct info_text *text, const char *name);
void info_array_end(struct info_text *text);

bool info_text_is_utf8(const char *text);

#endif
