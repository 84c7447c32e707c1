#ifndef CONSOLE_LINES_H
#define CONSOLE_LINES_H

#include "db.h"
#include "lines.h"

struct codec;

enum { CONSOLE_WINDOW_CHUNKS = 2 };

/*
 * Some lines of one writer from a number on, each as it was sent last. *ret_next is where to go on:
 * INT64_MAX when there are no more.
 */
err_t console_lines_read(struct db *db, struct codec *codec, int64_t run_id, int32_t writer,
			 int64_t from, struct lines *ret_lines, int64_t *ret_next)
	__attribute__((warn_unused_result));

#endif
