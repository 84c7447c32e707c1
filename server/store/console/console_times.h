#ifndef CONSOLE_TIMES_H
#define CONSOLE_TIMES_H

#include "db.h"
#include "top_lines.h"

struct codec;

/*
 * A page of a run's console by time, or by arrival: lines of all its writers, or of some, each as
 * it was sent last, ordered by that position, writer and number. It decodes the chunks and the blocks
 * of the tail that hold lines of about that position, one after the other, and blocks that repeat
 * lines of these; memory is bounded by the page and by those.
 */
struct console_times {
	int64_t run_id;
	const int32_t *writers; /* none: all */
	size_t writer_count;
	bool streams[2]; /* by enum line_stream: which are asked for */
	enum line_order by;
	int64_t from; /* as line_position(); both inclusive */
	int64_t to;
	enum top_lines_order order;
	const struct line_cursor *after; /* the last line of the page before; NULL: none */
	size_t limit;
	size_t bytes; /* of text */
};

/* *ret_more: there may be others after them. They live as long as the connection's arena. */
err_t console_times_read(struct db *db, struct codec *codec, const struct console_times *ask,
			 const struct top_lines **ret_lines, bool *ret_more)
	__attribute__((warn_unused_result));

#endif
