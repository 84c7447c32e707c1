#include "path.h"

#include <string.h>

#include "arena.h"
#include "buf.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte that "%xy" encodes; 0 if it is not a valid one. */
static unsigned char escaped_byte(struct str raw, size_t i)
{
	int high = i + 2 < raw.len ? hex_digit(raw.at[i + 1]) : -1;
	int low = i + 2 < raw.len ? hex_digit(raw.at[i + 2]) : -1;

	return high < 0 || low < 0 ? 0 : (unsigned char)(high << 4 | low);
}

bool path_decode(struct arena *a, struct str raw, enum path_plus plus, struct str *ret_text)
{
	char *text = arena_alloc(a, raw.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.at[i];

		if (c == '%') {
			c = (char)escaped_byte(raw, i);
			i += 2;
		} else if (c == '+' && plus == PATH_PLUS_IS_SPACE) {
			c = ' ';
		}
		if (!c)
			return false;
		text[n++] = c;
	}
	text[n] = '\0';
	*ret_text = (struct str){ text, n };
	return true;
}

static const char *segment_fault(struct arena *a, struct str raw)
{
	struct str text;

	if (!path_decode(a, raw, PATH_PLUS_STAYS, &text))
		return "the path contains an invalid percent-escape";
	if (!str_is_utf8(text))
		return "the path is not UTF-8";
	return str_is(text, "..") ? "the path contains a segment \"..\"" : NULL;
}

bool path_has_dot(struct arena *a, struct str path)
{
	struct str text;

	while (path.len) {
		struct str raw = str_cut(&path, '/');

		if (raw.len && raw.len <= 3 && path_decode(a, raw, PATH_PLUS_STAYS, &text) &&
		    str_is(text, "."))
			return true;
	}
	return false;
}

static const char *path_part_fault(struct arena *a, struct str path)
{
	const char *fault = NULL;

	if (path.len == 0 || path.at[0] != '/')
		return "the path must begin with a slash";
	while (path.len && !fault)
		fault = segment_fault(a, str_cut(&path, '/'));
	return fault;
}

static const char *query_fault(struct arena *a, struct str query)
{
	struct str text;

	if (!path_decode(a, query, PATH_PLUS_IS_SPACE, &text))
		return "the query contains an invalid percent-escape";
	return str_is_utf8(text) ? NULL : "the query is not UTF-8";
}

const char *path_fault(struct arena *a, struct str target)
{
	const char *fault;
	struct str path;

	if (target.len > PATH_MAX_BYTES)
		return "the path is too long";
	if (str_has_control(target) || memchr(target.at, ' ', target.len))
		return "the path contains a blank or control character";
	path = str_cut(&target, '?');
	fault = path_part_fault(a, path);
	return fault ? fault : query_fault(a, target);
}

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/", c));
}

void path_encode(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (is_plain(c))
			buf_add_byte(b, (char)c);
		else
			buf_printf(b, "%%%02X", c);
	}
}

struct str path_query_find(struct arena *a, struct str query, struct str name)
{
	while (query.len) {
		struct str value = str_cut(&query, '&');
		struct str raw_name = str_cut(&value, '=');
		struct str text;

		if (!path_decode(a, raw_name, PATH_PLUS_IS_SPACE, &text) || !str_equal(text, name))
			continue;
		if (path_decode(a, value, PATH_PLUS_IS_SPACE, &text))
			return text;
	}
	return (struct str){ NULL, 0 };
}
