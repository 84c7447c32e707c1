#include "json_scan_lex.h"

#include <math.h>
#include <string.h>

#include "json_number.h"

const char json_lex_too_deep[] = "nested too deeply";

static const char *fault(struct json_lex_fault *f, const char *at, const char *why)
{
	*f = (struct json_lex_fault){ at, why };
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four digits at `p`, or -1. */
static int hex4(const char *p)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* Length of the escape that begins at the backslash `p`; 0: none does. */
static size_t escape_length(const char *p)
{
	if (p[1] == 'u')
		return hex4(p + 2) < 0 ? 0 : 6;
	return p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

const char *json_lex_string(const char *p, bool *ret_escaped, struct json_lex_fault *ret_fault)
{
	bool escaped = false;

	for (;;) {
		size_t len;

		p = json_bytes_string_stop(p);
		if (*p == '"')
			break;
		if (*p != '\\')
			return fault(ret_fault, p,
				     "a string is not terminated or contains a control character");
		len = escape_length(p);
		if (!len)
			return fault(ret_fault, p, "invalid escape in a string");
		p += len;
		escaped = true;
	}
	*ret_escaped = escaped;
	return p + 1;
}

const char *json_lex_nonfinite(const char *p, double *ret_value)
{
	bool negative = *p == '-';

	if (memcmp(p, "NaN", 3) == 0) {
		*ret_value = (double)NAN;
		return p + 3;
	}
	p += negative;
	if (memcmp(p, "Infinity", 8) != 0)
		return NULL;
	*ret_value = negative ? -HUGE_VAL : HUGE_VAL;
	return p + 8;
}

static const char *word(const char *p, const char *text, struct json_lex_fault *ret_fault)
{
	size_t len = strlen(text);

	if (memcmp(p, text, len) != 0)
		return fault(ret_fault, p, "expected a value");
	return p + len;
}

static const char *number(const char *p, struct json_lex_fault *ret_fault)
{
	struct json_number n;
	double value;
	const char *end = json_number_read(p, &n);

	if (!end)
		end = json_lex_nonfinite(p, &value);
	return end ? end : fault(ret_fault, p, "expected a value");
}

/* Reads "key" and colon; returns the value. */
static const char *member_key(const char *p, struct json_lex_fault *ret_fault)
{
	bool escaped;

	if (*p != '"')
		return fault(ret_fault, p, "expected a quoted key");
	p = json_lex_string(p + 1, &escaped, ret_fault);
	if (!p)
		return NULL;
	p = json_lex_blank(p);
	if (*p != ':')
		return fault(ret_fault, p, "expected a colon");
	return json_lex_blank(p + 1);
}

/* `p` is after the opening bracket. */
static const char *members(const char *p, char close, unsigned depth,
			   struct json_lex_fault *ret_fault)
{
	p = json_lex_blank(p);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (close == '}')
			p = member_key(p, ret_fault);
		if (p)
			p = json_lex_value(p, depth, ret_fault);
		if (!p)
			return NULL;
		p = json_lex_blank(p);
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return fault(ret_fault, p, "expected a comma or the closing bracket");
		p = json_lex_blank(p + 1);
	}
}

const char *json_lex_value(const char *p, unsigned depth, struct json_lex_fault *ret_fault)
{
	bool escaped;

	switch (*p) {
	case '{':
	case '[':
		if (depth == 0)
			return fault(ret_fault, p, json_lex_too_deep);
		return members(p + 1, *p == '{' ? '}' : ']', depth - 1, ret_fault);
	case '"':
		return json_lex_string(p + 1, &escaped, ret_fault);
	case 't':
		return word(p, "true", ret_fault);
	case 'f':
		return word(p, "false", ret_fault);
	case 'n':
		return word(p, "null", ret_fault);
	default:
		return number(p, ret_fault);
	}
}

static char *write_utf8(char *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* The character of the \u escape at `p`, which takes *ret_len bytes. */
static unsigned unicode_escape(const char *p, size_t left, size_t *ret_len, bool *ret_lone)
{
	unsigned c = (unsigned)hex4(p + 2);
	int low;

	*ret_len = 6;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	low = c < 0xdc00 && left >= 12 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8) : -1;
	if (low < 0xdc00 || low > 0xdfff) {
		*ret_lone = true;
		return c;
	}
	*ret_len = 12;
	return 0x10000 + ((c - 0xd800) << 10) + ((unsigned)low - 0xdc00);
}

static size_t unescape(struct str s, char *to, bool keep_lone, bool *ret_lone)
{
	static const char from[] = "\"\\/bfnrt";
	static const char into[] = "\"\\/\b\f\n\r\t";
	const char *p = s.at;
	const char *end = s.at + s.len;
	char *start = to;

	*ret_lone = false;
	while (p < end) {
		size_t len = 2;

		if (*p != '\\') {
			*to++ = *p++;
		} else if (p[1] == 'u') {
			bool lone = false;
			unsigned c = unicode_escape(p, (size_t)(end - p), &len, &lone);

			to = write_utf8(to, lone && !keep_lone ? 0xfffd : c);
			*ret_lone |= lone;
			p += len;
		} else {
			*to++ = into[strchr(from, p[1]) - from];
			p += len;
		}
	}
	return (size_t)(to - start);
}

size_t json_lex_unescape(struct str s, char *to, bool *ret_lone)
{
	return unescape(s, to, false, ret_lone);
}

size_t json_lex_unescape_bytes(struct str s, char *to)
{
	bool lone;

	return unescape(s, to, true, &lone);
}
