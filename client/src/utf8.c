/*
 * UTF-8 as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF. The server
 * refuses a whole request for one bad byte, so what we send is checked or mended here.
 */
#include "utf8.h"

#include <stdio.h>

static bool is_tail(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t utf8_length(const char *bytes, size_t count)
{
	const unsigned char *p = (const unsigned char *)bytes;

	if (count == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf && count >= 2 && is_tail(p[1]))
		return 2;
	if (p[0] >= 0xe0 && p[0] <= 0xef && count >= 3 && is_tail(p[1]) && is_tail(p[2])) {
		bool overlong = p[0] == 0xe0 && p[1] < 0xa0;
		bool surrogate = p[0] == 0xed && p[1] >= 0xa0;
		return overlong || surrogate ? 0 : 3;
	}
	if (p[0] >= 0xf0 && p[0] <= 0xf4 && count >= 4 && is_tail(p[1]) && is_tail(p[2]) &&
	    is_tail(p[3])) {
		bool overlong = p[0] == 0xf0 && p[1] < 0x90;
		bool too_big = p[0] == 0xf4 && p[1] >= 0x90;
		return overlong || too_big ? 0 : 4;
	}
	return 0;
}

bool utf8_is_text(const char *bytes, size_t count, size_t max_bytes)
{
	if (count == 0 || count > max_bytes)
		return false;
	for (size_t i = 0; i < count;) {
		size_t length = utf8_length(bytes + i, count - i);

		if (length == 0)
			return false;
		i += length;
	}
	return true;
}

bool utf8_is_name(const char *bytes, size_t count, size_t max_bytes)
{
	if (count == 0 || count > max_bytes)
		return false;
	for (size_t i = 0; i < count;) {
		unsigned char byte = (unsigned char)bytes[i];
		size_t length = byte >= 0x20 && byte < 0x7f ? 1 : 0;

		if (byte >= 0x80)
			length = utf8_length(bytes + i, count - i);
		/* U+0080 to U+009F are control characters, too */
		if (length == 0 || (byte == 0xc2 && (unsigned char)bytes[i + 1] < 0xa0))
			return false;
		i += length;
	}
	return true;
}

/* Decodes one, two or three bytes: no longer code is looked for. */
static unsigned code_of(const char *bytes, size_t length)
{
	const unsigned char *p = (const unsigned char *)bytes;

	if (length == 1)
		return p[0];
	if (length == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

bool utf8_is_control(const char *bytes, size_t length)
{
	static const unsigned ranges[][2] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
	};
	unsigned code = code_of(bytes, length);

	for (size_t i = 0; length < 4 && i < sizeof ranges / sizeof ranges[0]; i++) {
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	}
	return false;
}

void utf8_escape(const char *bytes, size_t length, char escape[static UTF8_ESCAPE_SIZE])
{
	snprintf(escape, UTF8_ESCAPE_SIZE, "\\u%04x", code_of(bytes, length) & 0xffff);
}
