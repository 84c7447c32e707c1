#include "seen.h"

#include <string.h>

#include "utf8.h"

/* Returns the length of a sequence of parameters up to `to`, with the byte that ends it if there is one. */
static size_t length_within(const char *text, size_t left, char to)
{
	size_t at = 2;

	while (at < left && text[at] >= 0x20 && text[at] <= to)
		at++;
	return at < left && text[at] > to && text[at] <= 0x7e ? at + 1 : at;
}

/* A title or a link; one that does not end is only its first two characters, so that it hides nothing. */
static size_t string_length(const char *text, size_t left)
{
	for (size_t at = 2; at < left && text[at] != '\033'; at++) {
		if (text[at] == '\a')
			return at + 1;
		if (at + 2 < left && text[at + 1] == '\033' && text[at + 2] == '\\')
			return at + 3;
	}
	return left > 3 && text[2] == '\033' && text[3] == '\\' ? 4 : 2;
}

/* Returns the length of the ANSI sequence (ECMA-48, ECMA-35) at the beginning: a colour, title, link or character set; 0: none. */
static size_t sequence_length(const char *text, size_t left)
{
	if (left < 2 || text[0] != '\033')
		return 0;
	if (text[1] == '[')
		return length_within(text, left, 0x3f);
	if (text[1] == ']')
		return string_length(text, left);
	return text[1] >= 0x20 && text[1] <= 0x2f ? length_within(text, left, 0x2f) : 0;
}

struct seen seen_begin(const char *text)
{
	return (struct seen){ .next = text, .left = strlen(text) };
}

bool seen_next(struct seen *seen)
{
	size_t unseen;

	while ((unseen = sequence_length(seen->next, seen->left))) {
		seen->next += unseen;
		seen->left -= unseen;
	}
	if (!seen->left)
		return false;
	seen->length = utf8_length(seen->next, seen->left);
	seen->at = seen->length && !utf8_is_control(seen->next, seen->length) ? seen->next : NULL;
	seen->next += seen->length ? seen->length : 1;
	seen->left -= seen->length ? seen->length : 1;
	return true;
}
