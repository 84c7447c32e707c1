#include "line_match.h"

#include <string.h>

#include "arena.h"
#include "line_regex.h"

enum { ESCAPE = 0x1b, BELL = 0x07 };

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static void make_small(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = small(text[i]);
}

static void free_scratch(void *p)
{
	buf_free(p);
}

void line_match_init(struct line_match *match, struct arena *a, struct str text,
		     enum line_match_case letters)
{
	char *copy = str_copy(a, text);

	if (letters == LINE_MATCH_EITHER_CASE)
		make_small(copy, text.len);
	*match = (struct line_match){
		.text = { copy, text.len },
		.letters = letters,
		.has_escape = memchr(copy, ESCAPE, text.len) != NULL,
	};
	arena_defer(a, free_scratch, &match->scratch);
}

void line_match_init_regex(struct line_match *match, struct arena *a, struct line_regex *regex)
{
	*match = (struct line_match){ .regex = regex };
	arena_defer(a, free_scratch, &match->scratch);
}

/* ---- terminals (ECMA-48) -------------------------------------------------------------------------- */

/* Parameters, then one final byte. */
static size_t skip_control_sequence(struct str line, size_t at)
{
	while (at < line.len && line.at[at] >= 0x20 && line.at[at] <= 0x3f)
		at++;
	return at < line.len ? at + 1 : at;
}

/* A title, a link: up to a bell, or ESC \. */
static size_t skip_string(struct str line, size_t at)
{
	for (; at < line.len; at++) {
		if (line.at[at] == BELL)
			return at + 1;
		if (line.at[at] == ESCAPE)
			return at + 2 < line.len ? at + 2 : line.len;
	}
	return at;
}

/* Starts at the escape; returns where the text continues. */
static size_t skip_escape(struct str line, size_t at)
{
	char kind = at + 1 < line.len ? line.at[at + 1] : '\0';

	if (kind == '[')
		return skip_control_sequence(line, at + 2);
	if (kind == ']')
		return skip_string(line, at + 2);
	at++;
	while (at < line.len && line.at[at] >= 0x20 && line.at[at] <= 0x2f)
		at++;
	return at < line.len && line.at[at] >= 0x30 && line.at[at] <= 0x7e ? at + 1 : at;
}

void line_add_plain(struct buf *out, struct str line)
{
	size_t at = 0;

	while (at < line.len) {
		const char *escape = memchr(line.at + at, ESCAPE, line.len - at);
		size_t end = escape ? (size_t)(escape - line.at) : line.len;

		buf_add(out, line.at + at, end - at);
		at = escape ? skip_escape(line, end) : end;
	}
}

/* ---- matching ------------------------------------------------------------------------------------- */

static bool regex_is_in(struct line_match *match, struct str line)
{
	if (line.len && memchr(line.at, ESCAPE, line.len)) {
		buf_clear(&match->scratch);
		line_add_plain(&match->scratch, line);
		line = buf_str(&match->scratch);
	}
	return line_regex_is_in(match->regex, line);
}

bool line_match_is_in(struct line_match *match, struct str line)
{
	bool strip = !match->has_escape && line.len && memchr(line.at, ESCAPE, line.len);

	if (match->regex)
		return regex_is_in(match, line);
	if (line.len < match->text.len)
		return false;
	if (strip || match->letters == LINE_MATCH_EITHER_CASE) {
		buf_clear(&match->scratch);
		if (strip)
			line_add_plain(&match->scratch, line);
		else
			buf_add_str(&match->scratch, line);
		line = buf_str(&match->scratch);
	}
	if (match->letters == LINE_MATCH_EITHER_CASE)
		make_small(match->scratch.at, match->scratch.len);
	return line.len && memmem(line.at, line.len, match->text.at, match->text.len);
}
