#include "str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

struct str str_of(const char *text)
{
	return text ? (struct str){ text, strlen(text) } : (struct str){ "", 0 };
}

bool str_equal(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

bool str_is(struct str s, const char *text)
{
	return str_equal(s, str_of(text));
}

bool str_starts(struct str s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && memcmp(s.at, prefix, len) == 0;
}

bool str_ends(struct str s, const char *suffix)
{
	size_t len = strlen(suffix);

	return s.len >= len && memcmp(s.at + s.len - len, suffix, len) == 0;
}

int str_compare(struct str a, struct str b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.at, b.at, len) : 0;

	if (order)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

char *str_copy(struct arena *a, struct str s)
{
	return arena_copy(a, s.at, s.len);
}

struct str str_cut(struct str *s, char sep)
{
	const char *found = s->len ? memchr(s->at, sep, s->len) : NULL;
	struct str head = *s;

	if (!found) {
		*s = (struct str){ s->at + s->len, 0 };
		return head;
	}
	head.len = (size_t)(found - s->at);
	s->at = found + 1;
	s->len -= head.len + 1;
	return head;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.len && is_blank(s.at[0])) {
		s.at++;
		s.len--;
	}
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

/* strto*() want a NUL and take blanks, words and other bases; all are kept from them here. */
static bool number_text(struct str s, const char *allowed, char *text, size_t size)
{
	if (s.len == 0 || s.len >= size)
		return false;
	memcpy(text, s.at, s.len);
	text[s.len] = '\0';
	return strspn(text, allowed) == s.len;
}

bool str_to_int64(struct str s, int64_t min, int64_t max, int64_t *ret_value)
{
	char text[32];
	char *end;
	long long value;

	if (!number_text(s, "-0123456789", text, sizeof(text)))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end || errno || value < min || value > max)
		return false;
	*ret_value = value;
	return true;
}

bool str_to_double(struct str s, double *ret_value)
{
	char text[64];
	char *end;
	double value;

	if (!number_text(s, "+-.eE0123456789", text, sizeof(text)))
		return false;
	value = strtod(text, &end);
	if (*end)
		return false;
	*ret_value = value;
	return true;
}

size_t str_utf8_sequence(const char *at, size_t left)
{
	const unsigned char *p = (const unsigned char *)at;
	static const unsigned char low[] = { 0x80, 0xa0, 0x90 };
	unsigned char first = left ? p[0] : 0xff;
	size_t len = first < 0x80   ? 1
		     : first < 0xc2 ? 0
		     : first < 0xe0 ? 2
		     : first < 0xf0 ? 3
		     : first < 0xf5 ? 4
				    : 0;

	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if (first == 0xe0 && p[1] < low[1])
		return 0;
	if (first == 0xed && p[1] > 0x9f)
		return 0;
	if (first == 0xf0 && p[1] < low[2])
		return 0;
	if (first == 0xf4 && p[1] > 0x8f)
		return 0;
	return len;
}

enum { ASCII_STEP = 32 };

/* Whether the next ASCII_STEP bytes are ASCII, as nearly all are. */
static inline bool step_is_ascii(const char *p)
{
	uint64_t word[ASCII_STEP / 8];

	memcpy(word, p, sizeof(word));
	return !((word[0] | word[1] | word[2] | word[3]) & UINT64_C(0x8080808080808080));
}

bool str_is_utf8(struct str s)
{
	size_t i = 0;

	while (i < s.len) {
		size_t len;

		if (s.len - i >= ASCII_STEP && step_is_ascii(s.at + i)) {
			i += ASCII_STEP;
			continue;
		}
		len = str_utf8_sequence(s.at + i, s.len - i);
		if (!len)
			return false;
		i += len;
	}
	return true;
}

uint64_t str_hash(uint64_t from, struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		from = (from ^ (unsigned char)s.at[i]) * UINT64_C(0x100000001b3);
	return from;
}

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

struct str str_head(struct str s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max && !begins_character(s.at[max]))
		max--;
	return (struct str){ s.at, max };
}

size_t str_characters(struct str s)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; i++)
		count += begins_character(s.at[i]);
	return count;
}

struct str str_head_characters(struct str s, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; i++) {
		count += begins_character(s.at[i]);
		if (count > max)
			return (struct str){ s.at, i };
	}
	return s;
}

bool str_has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (c < 0x20 || c == 0x7f)
			return true;
	}
	return false;
}
