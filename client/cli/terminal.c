#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "utf8.h"

#define WIDTH_OTHERWISE 80

int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width < 20 && columns)
		width = strtol(columns, NULL, 10);
	return width >= 20 && width <= 500 ? (int)width : WIDTH_OTHERWISE;
}

bool terminal_has_colour(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
}

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

/* The characters of a text that are seen, one after the other. */
struct seen {
	const char *at; /* NULL: nothing that can be printed */
	size_t length, left;
	const char *next;
};

static struct seen seen_begin(const char *text)
{
	return (struct seen){ .next = text, .left = strlen(text) };
}

/* False at the end. */
static bool seen_next(struct seen *seen)
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

size_t terminal_columns(const char *text)
{
	struct seen seen = seen_begin(text);
	size_t columns = 0;

	while (seen_next(&seen))
		columns++;
	return columns;
}

size_t terminal_print(const char *text, size_t columns)
{
	struct seen seen = seen_begin(text);
	size_t all = terminal_columns(text), used = 0;
	bool is_cut = all > columns && isatty(STDOUT_FILENO);
	size_t shown = is_cut ? columns - (columns > 0) : all;

	for (; used < shown && seen_next(&seen); used++) {
		if (seen.at)
			fwrite(seen.at, 1, seen.length, stdout);
		else
			putchar(' ');
	}
	if (!is_cut || !columns)
		return used;
	fputs("…", stdout);
	return used + 1;
}
