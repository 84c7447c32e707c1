/* proc_file.c - see proc_file.h. */
#include "proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool proc_path(char *ret, size_t size, const char *root, const char *format, ...)
{
	va_list arguments;
	size_t used = strlen(root);

	if (used + 2 > size)
		return false;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	memcpy(ret, root, used);
	ret[used++] = '/';
	va_start(arguments, format);
	int n = vsnprintf(ret + used, size - used, format, arguments);
	va_end(arguments);
	return n >= 0 && (size_t)n < size - used;
}

void proc_file_open(struct proc_file *file, const char *path)
{
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

void proc_file_close(struct proc_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

ssize_t proc_file_read(const struct proc_file *file, char *ret_text, size_t size)
{
	size_t length = 0;

	if (file->fd < 0)
		return -1;
	while (length < size - 1) {
		ssize_t n = pread(file->fd, ret_text + length, size - 1 - length, (off_t)length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	ret_text[length] = '\0';
	return (ssize_t)length;
}

ssize_t proc_read(int dir_fd, const char *path, char *ret_text, size_t size)
{
	struct proc_file file = { .fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY) };
	ssize_t length = proc_file_read(&file, ret_text, size);

	proc_file_close(&file);
	return length;
}

ssize_t proc_read_line(int dir_fd, const char *path, char *ret_text, size_t size)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t length;

	if (fd < 0)
		return -1;
	do
		length = read(fd, ret_text, size - 1);
	while (length < 0 && errno == EINTR);
	int reason = errno;
	close(fd);
	errno = reason;
	ret_text[length > 0 ? length : 0] = '\0';
	return length;
}

bool proc_read_number(const char *path, uint64_t *ret_number)
{
	char text[64];
	const char *at = text;

	return proc_read_line(AT_FDCWD, path, text, sizeof text) > 0 &&
	       proc_number(&at, ret_number);
}

static const char *skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

bool proc_number(const char **text, uint64_t *ret_number)
{
	const char *at = skip_blanks(*text);
	uint64_t number = 0;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	}
	*text = at;
	*ret_number = number;
	return true;
}

const char *proc_skip_word(const char *text)
{
	text = skip_blanks(text);
	while (*text && *text != ' ' && *text != '\t' && *text != '\n')
		text++;
	return text;
}

bool proc_lines_open(struct proc_lines *lines, const char *path)
{
	lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	proc_lines_rewind(lines);
	return lines->fd >= 0;
}

void proc_lines_rewind(struct proc_lines *lines)
{
	lines->offset = 0;
	lines->start = 0;
	lines->end = 0;
	lines->skipping = false;
	lines->has_failed = false;
}

/* Makes room and reads on. False at the end of the file. */
static bool fill(struct proc_lines *lines)
{
	size_t rest = lines->end - lines->start;

	memmove(lines->buffer, lines->buffer + lines->start, rest);
	lines->start = 0;
	lines->end = rest;
	if (rest == sizeof lines->buffer) {
		lines->end = 0;
		lines->skipping = true;
	}
	ssize_t n;
	do {
		n = pread(lines->fd, lines->buffer + lines->end, sizeof lines->buffer - lines->end,
			  lines->offset);
	} while (n < 0 && errno == EINTR);
	lines->has_failed = n < 0;
	if (n <= 0)
		return false;
	lines->offset += n;
	lines->end += (size_t)n;
	return true;
}

char *proc_lines_next(struct proc_lines *lines)
{
	for (;;) {
		char *line = lines->buffer + lines->start;
		char *newline = memchr(line, '\n', lines->end - lines->start);
		if (!newline) {
			if (!fill(lines))
				return NULL;
			continue;
		}
		*newline = '\0';
		lines->start = (size_t)(newline - lines->buffer) + 1;
		if (!lines->skipping)
			return line;
		lines->skipping = false;
	}
}

void proc_lines_close(struct proc_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	lines->fd = -1;
}
