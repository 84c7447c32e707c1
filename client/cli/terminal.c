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

size_t terminal_print(const char *text, size_t columns)
{
	size_t used = 0, left = strlen(text);

	while (left && used < columns) {
		size_t length = utf8_length(text, left);
		unsigned char byte = (unsigned char)*text;
		bool is_control = byte < 0x20 || byte == 0x7f ||
				  (byte == 0xc2 && length == 2 && (unsigned char)text[1] < 0xa0);

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
