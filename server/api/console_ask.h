#ifndef CONSOLE_ASK_H
#define CONSOLE_ASK_H

#include "labels.h"
#include "line_match.h"
#include "page.h"
#include "top_lines.h"

/* What is asked of a run's console: its lines by writer and number, by time, or those with a text. */
enum console_mode { CONSOLE_BY_LINE, CONSOLE_BY_TIME, CONSOLE_SEARCH };

enum {
	CONSOLE_ITEMS_BYTES = 8 << 20, /* a page of items ends with the line that reaches it */
	CONSOLE_CONTEXT_MAX = 20,
	CONSOLE_SEARCH_MAX = 256, /* bytes of the text */
};

struct console_ask {
	enum console_mode mode;
	struct str label; /* empty: all */
	int64_t from;     /* of each writer */
	int64_t tail;     /* 0: all */
	bool text;        /* bare lines, not items */
	enum top_lines_order order;
	int64_t from_us;
	int64_t to_us;
	struct str search;
	enum line_match_case letters;
	int64_t context;
	struct page page;
};

err_t console_ask_read(struct request *q, struct console_ask *ret_ask)
	__attribute__((warn_unused_result));

#endif
