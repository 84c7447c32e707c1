#include "line_level.h"

#include <string.h>

enum { ESCAPE = 0x1b };

static const struct {
	struct str text;
	bool ends_name; /* may be the end of a longer name */
} words[] = {
	{ { "ERROR", 5 }, false },     { { "FATAL", 5 }, false }, { { "CRITICAL", 8 }, false },
	{ { "Traceback", 9 }, false }, { { "Error:", 6 }, true }, { { "Exception:", 10 }, true },
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* Whether a colour sequence ends there, whose last byte is a letter. */
static bool ends_colour(struct str line, size_t end)
{
	size_t at = end - 1;

	if (line.at[at] != 'm')
		return false;
	while (at && ((line.at[at - 1] >= '0' && line.at[at - 1] <= '9') || line.at[at - 1] == ';'))
		at--;
	return at >= 2 && line.at[at - 1] == '[' && line.at[at - 2] == ESCAPE;
}

static bool begins_word(struct str line, size_t at)
{
	return !at || !is_of_name(line.at[at - 1]) || ends_colour(line, at);
}

/* "ValueError:" at the beginning of a name, but not "Validation Error: 0.31". */
static bool ends_name(struct str line, size_t at)
{
	return !at || is_letter(line.at[at - 1]) || line.at[at - 1] == '.';
}

static bool is_word(struct str line, size_t at, size_t word)
{
	size_t end = at + words[word].text.len;

	if (words[word].ends_name)
		return ends_name(line, at);
	return begins_word(line, at) && (end == line.len || !is_of_name(line.at[end]));
}

static bool has_word(struct str line, size_t word)
{
	struct str text = words[word].text;
	size_t from = 0;

	while (line.len - from >= text.len) {
		const char *found = memmem(line.at + from, line.len - from, text.at, text.len);
		size_t at;

		if (!found)
			return false;
		at = (size_t)(found - line.at);
		if (is_word(line, at, word))
			return true;
		from = at + 1;
	}
	return false;
}

bool line_is_error(struct str line)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (line.len && has_word(line, i))
			return true;
	}
	return false;
}
