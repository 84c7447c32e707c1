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

size_t terminal_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* Of a sequence of parameters up to `to` and the byte that ends it, if it does. */
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

/* Of colours, titles, links and character sets of ANSI (ECMA-48, ECMA-35) that stand at its beginning; 0: there are none. */
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

size_t terminal_print(const char *text, size_t columns)
{
	size_t used = 0, left = strlen(text);

	while (left && used < columns) {
		size_t unseen = sequence_length(text, left);
		size_t length = unseen ? 0 : utf8_length(text, left);
		unsigned char byte = (unsigned char)*text;
		bool is_control = byte < 0x20 || byte == 0x7f ||
				  (byte == 0xc2 && length == 2 && (unsigned char)text[1] < 0xa0);

		if (unseen) {
			text += unseen;
			left -= unseen;
			continue;
		}
		if (length == 0 || is_control)
			putchar(' ');
		else
			fwrite(text, 1, length, stdout);
		length = length ? length : 1;
		text += length;
		left -= length;
		used++;
	}
	return used;
}
