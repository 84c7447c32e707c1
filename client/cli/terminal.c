#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "seen.h"

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
