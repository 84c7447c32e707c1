/*
 * A walk over the text that skips everything that may hide a semicolon. Each skip is one function
 * that gets the text at the opening and returns the length up to and including the end; an unclosed
 * part reaches to the end of the text, and PostgreSQL will report it.
 */
#include "db_split.h"

#include <string.h>

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t skip_line(struct str s)
{
	const char *end = memchr(s.at, '\n', s.len);

	return end ? (size_t)(end - s.at) + 1 : s.len;
}

static size_t skip_comment(struct str s)
{
	int depth = 0;

	for (size_t i = 0; i + 1 < s.len; i++) {
		bool opens = s.at[i] == '/' && s.at[i + 1] == '*';
		bool closes = s.at[i] == '*' && s.at[i + 1] == '/';

		if (!opens && !closes)
			continue;
		depth += opens ? 1 : -1;
		i++;
		if (!depth)
			return i + 1;
	}
	return s.len;
}

/* A doubled quote ends one text and begins the next, with the same result. */
static size_t skip_quoted(struct str s, bool escapes)
{
	for (size_t i = 1; i < s.len; i++) {
		if (escapes && s.at[i] == '\\')
			i++;
		else if (s.at[i] == s.at[0])
			return i + 1;
	}
	return s.len;
}

/* The length of "$tag$" or "$$" at s; 0 if s does not begin with one. */
static size_t dollar_tag(struct str s)
{
	size_t i = 1;

	if (s.len > 1 && s.at[1] >= '0' && s.at[1] <= '9')
		return 0;
	while (i < s.len && s.at[i] != '$' && is_name(s.at[i]))
		i++;
	return i < s.len && s.at[i] == '$' ? i + 1 : 0;
}

static size_t skip_dollars(struct str s)
{
	size_t tag = dollar_tag(s);
	const char *end;

	if (!tag)
		return 1;
	end = memmem(s.at + tag, s.len - tag, s.at, tag);
	return end ? (size_t)(end - s.at) + tag : s.len;
}

static size_t skip_name(struct str s)
{
	size_t i = 0;

	while (i < s.len && is_name(s.at[i]))
		i++;
	if (i == 1 && (*s.at == 'e' || *s.at == 'E') && s.len > 1 && s.at[1] == '\'')
		return 1 + skip_quoted((struct str){ s.at + 1, s.len - 1 }, true);
	return i;
}

static bool starts_comment(struct str s)
{
	return str_starts(s, "--") || str_starts(s, "/*");
}

/* The length of the token at s: a quote, a comment, a name or one character. */
static size_t skip_one(struct str s)
{
	if (str_starts(s, "--"))
		return skip_line(s);
	if (str_starts(s, "/*"))
		return skip_comment(s);
	if (*s.at == '\'' || *s.at == '"')
		return skip_quoted(s, false);
	if (*s.at == '$')
		return skip_dollars(s);
	return is_name(*s.at) ? skip_name(s) : 1;
}

static struct str skip_blank(struct str s)
{
	for (;;) {
		size_t n = 0;

		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
		if (s.len && (memchr(" \t\r\n;", *s.at, 5) || starts_comment(s)))
			n = skip_one(s);
		if (!n)
			return s;
		s.at += n;
		s.len -= n;
	}
}

bool db_split_next(struct str *rest, struct str *ret_statement)
{
	struct str s = skip_blank(*rest);
	size_t i = 0;

	if (!s.len)
		return false;
	while (i < s.len && s.at[i] != ';')
		i += skip_one((struct str){ s.at + i, s.len - i });
	*ret_statement = str_trim((struct str){ s.at, i });
	*rest = (struct str){ s.at + i, s.len - i };
	return true;
}
