/*
 * UTF-8 as RFC 3629 has it: no surrogates, nothing overlong, nothing above U+10FFFF. The server
 * refuses a whole request for one bad byte, so what we send is checked or mended here.
 */
#include "utf8.h"

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
