/*
 * proc_file.h - reading the small text files of /proc and /sys without allocating.
 *
 * A file read once a sample is kept open and re-read from its start with pread.
 */
#ifndef CAIRN_SAMPLER_PROC_FILE_H
#define CAIRN_SAMPLER_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_file {
	int fd; /* -1: could not be opened */
};

#define PROC_FILE_NONE ((struct proc_file){ .fd = -1 })

/* "<root>/<the rest>" into `ret`; false when it does not fit. */
__attribute__((format(printf, 4, 5))) bool proc_path(char *ret, size_t size, const char *root,
						     const char *format, ...);

void proc_file_open(struct proc_file *file, const char *path);
void proc_file_close(struct proc_file *file);

/* The whole text, at most size - 1 bytes, ended with NUL. Its length, or -1. */
ssize_t proc_file_read(const struct proc_file *file, char *ret_text, size_t size);

/* The same for a file that is opened and closed again; `dir_fd` as for openat. */
ssize_t proc_read(int dir_fd, const char *path, char *ret_text, size_t size);

/* The same in one read, for files that the kernel gives in one piece: those of one line. */
ssize_t proc_read_line(int dir_fd, const char *path, char *ret_text, size_t size);

/* One number at the start of the file; false for "max" and the like. */
bool proc_read_number(const char *path, uint64_t *ret_number);

/* Skips blanks, reads a decimal number, moves on. False when there is none or it is too large. */
bool proc_number(const char **text, uint64_t *ret_number);

/* Skips blanks and one word. */
const char *proc_skip_word(const char *text);

/* Lines of a file of any length through a fixed buffer; longer lines are left out, and so is what
 * follows the last newline. */
struct proc_lines {
	int fd;
	off_t offset; /* in the file, of what comes after the buffer */
	size_t start;
	size_t end;
	bool skipping;   /* inside a line that is too long */
	bool has_failed; /* the file could not be read to its end */
	char buffer[8192];
};

bool proc_lines_open(struct proc_lines *lines, const char *path);
/* Begins anew; a file may be kept open and read again and again. */
void proc_lines_rewind(struct proc_lines *lines);
/* The next line without its newline, valid until the next call; NULL at the end. */
char *proc_lines_next(struct proc_lines *lines);
void proc_lines_close(struct proc_lines *lines);

#endif
