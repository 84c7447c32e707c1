/* info_text.c - see info_text.h. */
#include "info_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLOSING_MAX 8 /* kept free for the brackets of info_text_end */

static void put(struct info_text *text, const char *bytes, size_t length)
{
	if (text->overflow || text->length + length + CLOSING_MAX > text->size) {
		text->overflow = true;
		return;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static void put_text(struct info_text *text, const char *bytes)
{
	put(text, bytes, strlen(bytes));
}

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Bytes of the character at `at`; 0 when it is not UTF-8. */
static size_t character_length(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	if (b[0] < 0x80)
		return 1;
	if (b[0] >= 0xc2 && b[0] < 0xe0)
		return is_continuation(b[1]) ? 2 : 0;
	if (b[0] >= 0xe0 && b[0] < 0xf0) {
		bool overlong = b[0] == 0xe0 && b[1] < 0xa0;
		bool surrogate = b[0] == 0xed && b[1] >= 0xa0;
		bool whole = is_continuation(b[1]) && is_continuation(b[2]);
		return whole && !overlong && !surrogate ? 3 : 0;
	}
	if (b[0] >= 0xf0 && b[0] < 0xf5) {
		bool overlong = b[0] == 0xf0 && b[1] < 0x90;
		bool beyond = b[0] == 0xf4 && b[1] >= 0x90;
		bool whole = is_continuation(b[1]) && is_continuation(b[2]) &&
			     is_continuation(b[3]);
		return whole && !overlong && !beyond ? 4 : 0;
	}
	return 0;
}

bool info_text_is_utf8(const char *text)
{
	while (*text) {
		size_t n = character_length(text);
		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

static size_t put_character(struct info_text *text, const char *at)
{
	size_t n = character_length(at);

	if (n == 0) {
		put_text(text, "\\ufffd");
		return 1;
	}
	if (*at == '"' || *at == '\\') {
		put_text(text, "\\");
		put(text, at, 1);
	} else if ((unsigned char)*at < 0x20) {
		char escape[8];
		int length = snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*at);
		put(text, escape, (size_t)length);
	} else {
		put(text, at, n);
	}
	return n;
}

static void put_quoted(struct info_text *text, const char *value)
{
	put_text(text, "\"");
	while (*value)
		value += put_character(text, value);
	put_text(text, "\"");
}

static void put_name(struct info_text *text, const char *name)
{
	if (text->comma)
		put_text(text, ",");
	text->comma = true;
	if (!name)
		return;
	put_quoted(text, name);
	put_text(text, ":");
}

void info_text_begin(struct info_text *text, char *bytes, size_t size)
{
	*text = (struct info_text){ .bytes = bytes, .size = size };
	put_text(text, "{");
}

void info_text_end(struct info_text *text)
{
	text->bytes[text->length++] = '}';
	text->bytes[text->length] = '\0';
}

struct info_point info_point(const struct info_text *text)
{
	return (struct info_point){ .length = text->length, .comma = text->comma };
}

void info_settle(struct info_text *text, struct info_point point)
{
	if (!text->overflow)
		return;
	text->overflow = false;
	text->length = point.length;
	text->comma = point.comma;
}

void info_string(struct info_text *text, const char *name, const char *value)
{
	put_name(text, name);
	put_quoted(text, value);
}

void info_number(struct info_text *text, const char *name, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, value);
	put_name(text, name);
	put_text(text, digits);
}

void info_bytes(struct info_text *text, const char *name, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, value);
	info_string(text, name, digits);
}

static void begin(struct info_text *text, const char *name, const char *bracket)
{
	put_name(text, name);
	put_text(text, bracket);
	text->comma = false;
}

static void end(struct info_text *text, const char *bracket)
{
	put_text(text, bracket);
	text->comma = true;
}

void info_object_begin(struct info_text *text, const char *name)
{
	begin(text, name, "{");
}

void info_object_end(struct info_text *text)
{
	end(text, "}");
}

void info_array_begin(struct info_text *text, const char *name)
{
	begin(text, name, "[");
}

void info_array_end(struct info_text *text)
{
	end(text, "]");
}
