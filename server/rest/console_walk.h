#ifndef CONSOLE_WALK_H
#define CONSOLE_WALK_H

#include "console_ask.h"
#include "run_documents.h"

/*
 * The way through the lines of all writers that are asked for, one writer after the other; a cursor
 * holds the writer, the line, and for a search which line is looked at next.
 */
struct console_walk {
	struct console_ask ask;
	struct run_reader reader; /* of the handler, or of the page being made */
	struct labels labels;
	int64_t run_id;
	size_t at;    /* the writer, by its index in labels */
	int64_t next; /* line of it that is read next; NEXT_UNKNOWN: its first that is asked for */
	int64_t search_from; /* line that is looked at next */
};
enum { NEXT_UNKNOWN = -1 };

/* To where the page before ended, or to the first writer. */
err_t console_walk_begin(struct request *q, struct console_walk *walk)
	__attribute__((warn_unused_result));
bool console_walk_is_over(const struct console_walk *walk);
const struct writer *console_walk_writer(const struct console_walk *walk);

/* Some lines; then on to those that follow. */
err_t console_walk_read(struct request *q, struct console_walk *walk, struct lines *ret_lines,
			int64_t *ret_next) __attribute__((warn_unused_result));
void console_walk_move(struct console_walk *walk, int64_t next);

/* Sets the cursor of the next page, if there is one. */
void console_walk_set_cursor(struct request *q, struct console_walk *walk);

/* A page of what is found. */
err_t console_search_reply(struct request *q, struct console_walk *walk)
	__attribute__((warn_unused_result));

#endif
