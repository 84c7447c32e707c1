#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* Names, paths and what a server says may be part of it: none of them steers the terminal. */
static void write_plain(const char *text)
{
	size_t left = strlen(text), length;
	char escape[UTF8_ESCAPE_SIZE];

	for (; left; text += length, left -= length) {
		length = utf8_length(text, left);
		if (!length) {
			fputc('?', stderr);
			length = 1;
		} else if (*text != '\n' && utf8_is_control(text, length)) {
			utf8_escape(text, length, escape);
			fputs(escape, stderr);
		} else {
			fwrite(text, 1, length, stderr);
		}
	}
}

void say(const char *format, ...)
{
	char *line = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&line, format, args);
	va_end(args);
	fputs("cairn: ", stderr);
	if (length >= 0)
		write_plain(line);
	fputc('\n', stderr);
	free(line);
}
