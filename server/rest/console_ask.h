#ifndef CONSOLE_ASK_H
#define CONSOLE_ASK_H

#include "labels.h"
#include "line_match.h"
#include "page.h"
#include "top_lines.h"
#include "writer_ranges.h"

/* A query of a run's console: its lines by writer and number, by time, by arrival, or those that contain a text. */
enum console_mode { CONSOLE_BY_LINE, CONSOLE_BY_TIME, CONSOLE_BY_ARRIVAL, CONSOLE_SEARCH };

enum {
	CONSOLE_ITEMS_BYTES = 8 << 20, /* a page of items ends with the line that reaches it */
	CONSOLE_CONTEXT_MAX = 20,
	CONSOLE_SEARCH_MAX = 256, /* bytes of the text */
};

enum console_format {
	CONSOLE_ITEMS,
	CONSOLE_TEXT,   /* bare lines */
	CONSOLE_NDJSON, /* items without a page around them */
};

struct console_ask {
	enum console_mode mode;
	struct str label; /* empty: all */
	struct writer_ranges writers;
	bool streams[2]; /* by enum line_stream */
	int64_t from;    /* of each writer */
	int64_t tail;    /* 0: all */
	enum console_format format;
	enum top_lines_order order;
	int64_t position_from; /* microseconds, or arrivals */
	int64_t position_to;
	bool with_arrivals; /* each item tells its own */
	struct str search;
	bool is_regex;
	enum line_match_case letters;
	int64_t context;
	struct page page;
};

/* The query's "stream"; both without it. */
err_t console_ask_read_streams(struct request *q, bool *ret_streams)
	__attribute__((warn_unused_result));

/* A line's members, in an object. */
void console_ask_put_line(const struct console_ask *ask, struct json_out *o,
			  const struct line *line, const struct writer *w);

err_t console_ask_read(struct request *q, struct console_ask *ret_ask)
	__attribute__((warn_unused_result));

#endif
