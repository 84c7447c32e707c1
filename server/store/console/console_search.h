#ifndef CONSOLE_SEARCH_H
#define CONSOLE_SEARCH_H

#include "console_lines.h"
#include "db.h"
#include "line_match.h"

/*
 * Lines of one writer that contain a text, by number. All lines are decoded and searched, window by
 * window, in bounded memory; a call does a part of the work, and returns where to resume.
 */
struct found_line {
	int32_t writer;
	struct line line;
	struct lines before; /* up to `context` lines each */
	struct lines after;
};

struct console_search {
	struct db *db;
	struct codec *codec;
	struct line_match *match;
	uint32_t context;

	/*
	 * The position: what is read next, and which line is searched next; the
	 * lines before it are context.
	 */
	struct console_scan scan;
	int64_t search_from;

	bool streams[2]; /* by enum line_stream: the ones to search */
	int64_t time_us; /* that may pass from the first line on; 0: any */
	int64_t end_us;
	int64_t work_left;  /* bytes that may still be searched */
	int64_t looked_at;  /* lines so far */
	int64_t bytes_left; /* that may be found still */
	size_t limit;
	struct found_line *found; /* in the connection's arena */
	size_t found_count;
	size_t found_size;
};

/*
 * Searches until the writer's lines end (*ret_end), or the time, the work or the room is used up.
 */
bool console_search_has_room(const struct console_search *search);
err_t console_search_run(struct console_search *search, bool *ret_end)
	__attribute__((warn_unused_result));

#endif
