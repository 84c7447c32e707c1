#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cairn.h"

/* One write for the whole line, so that lines of several processes do not mix. */
static void say_line(struct cairn_run *run, enum cairn_stream stream, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void say_line(struct cairn_run *run, enum cairn_stream stream, const char *fmt, va_list ap)
{
	char line[1024];
	int len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	ssize_t written;

	if (len < 0)
		return;
	if ((size_t)len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	written = write(stream == CAIRN_STDERR ? STDERR_FILENO : STDOUT_FILENO, line, (size_t)len);
	(void)written;
	(void)cairn_console(run, stream, line, (size_t)len);
}

void say(struct cairn_run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(run, CAIRN_STDOUT, fmt, ap);
	va_end(ap);
}

void say_error(struct cairn_run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(run, CAIRN_STDERR, fmt, ap);
	va_end(ap);
}
