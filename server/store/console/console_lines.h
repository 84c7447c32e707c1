#ifndef CONSOLE_LINES_H
#define CONSOLE_LINES_H

#include "db.h"
#include "lines.h"

struct codec;

/* A page is read by small windows, a whole console by large ones. */
enum console_windows { CONSOLE_SMALL_WINDOWS, CONSOLE_LARGE_WINDOWS };

struct console_scan {
	int64_t run_id;
	int32_t writer;
	int64_t from; /* line */
	enum console_windows windows;
};

/*
 * Some lines of one writer from a number on, each as it was sent last. *ret_next is where to
 * continue: INT64_MAX when there are no more.
 */
err_t console_lines_read(struct db *db, struct codec *codec, const struct console_scan *scan,
			 struct lines *ret_lines, int64_t *ret_next)
	__attribute__((warn_unused_result));

/* Finds the number from which on a writer has so many lines; if it has fewer, its first one. */
err_t console_lines_last(struct db *db, struct codec *codec, const struct console_scan *writer,
			 int64_t count, int64_t *ret_from) __attribute__((warn_unused_result));

#endif
