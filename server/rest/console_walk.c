#include "console_walk.h"

#include <inttypes.h>

#include "console_lines.h"

static bool is_asked(const struct console_walk *c, const struct writer *w)
{
	return w->console_lines && writer_ranges_has(&c->ask.writers, w->writer) &&
	       (!c->ask.label.len || str_equal(w->label, c->ask.label));
}

static void skip_others(struct console_walk *c)
{
	while (c->at < c->labels.count && !is_asked(c, &c->labels.writers[c->at]))
		c->at++;
	c->next = NEXT_UNKNOWN;
	c->search_from = 0;
}

bool console_walk_is_over(const struct console_walk *c)
{
	return c->at >= c->labels.count;
}

const struct writer *console_walk_writer(const struct console_walk *c)
{
	return &c->labels.writers[c->at];
}

/* The writer that is not begun, or where in it. */
static bool read_lines(struct console_walk *c, struct str text)
{
	struct str line = str_cut(&text, ' ');

	if (str_is(line, "new"))
		return !text.len;
	if (!str_to_int64(line, 0, INT64_MAX, &c->next))
		return false;
	return !text.len || str_to_int64(text, 0, INT64_MAX, &c->search_from);
}

/* A position is "<writer> new", "<writer> <line>", or "<writer> <line> <line>" of a search. */
static bool read_position(struct console_walk *c, struct str text)
{
	struct str writer = str_cut(&text, ' ');
	int64_t number;

	if (!str_to_int64(writer, 0, INT32_MAX, &number) || !read_lines(c, text))
		return false;
	for (c->at = 0; c->at < c->labels.count; c->at++) {
		if (c->labels.writers[c->at].writer == number)
			return true;
	}
	return false;
}

err_t console_walk_begin(struct request *q, struct console_walk *c)
{
	err_t e = labels_read_now(q, &c->labels);

	if (e)
		return e;
	skip_others(c);
	if (c->ask.page.after.len && !read_position(c, c->ask.page.after))
		return page_bad_cursor(q);
	return NULL;
}

/* The first line of the writer that is asked for. */
static err_t find_first(struct request *q, struct console_walk *c, struct console_scan *scan)
{
	int64_t from = 0;
	err_t e = NULL;

	if (c->ask.tail)
		e = console_lines_last(q->db, c->reader.codec, scan, c->ask.tail, &from);
	if (!e)
		c->next = from > c->ask.from ? from : c->ask.from;
	return e;
}

static void keep_streams(const struct console_walk *c, struct lines *lines)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		if (c->ask.streams[lines->items[i].stream])
			lines->items[kept++] = lines->items[i];
	}
	lines->count = kept;
}

err_t console_walk_read(struct request *q, struct console_walk *c, struct lines *ret_lines,
			int64_t *ret_next)
{
	struct console_scan scan = {
		.run_id = c->run_id,
		.writer = console_walk_writer(c)->writer,
		.windows = c->ask.format == CONSOLE_ITEMS ? CONSOLE_SMALL_WINDOWS
							  : CONSOLE_LARGE_WINDOWS,
	};
	err_t e = NULL;

	if (c->next == NEXT_UNKNOWN)
		e = find_first(q, c, &scan);
	if (e)
		return e;
	scan.from = c->next;
	e = console_lines_read(q->db, c->reader.codec, &scan, ret_lines, ret_next);
	if (!e)
		keep_streams(c, ret_lines);
	return e;
}

void console_walk_set_cursor(struct request *q, struct console_walk *c)
{
	int writer;

	if (console_walk_is_over(c))
		return;
	writer = console_walk_writer(c)->writer;
	if (c->next == NEXT_UNKNOWN)
		page_set_cursor(q, &c->ask.page, "%d new", writer);
	else if (c->ask.mode == CONSOLE_SEARCH)
		page_set_cursor(q, &c->ask.page, "%d %" PRId64 " %" PRId64, writer, c->next,
				c->search_from);
	else
		page_set_cursor(q, &c->ask.page, "%d %" PRId64, writer, c->next);
}

void console_walk_move(struct console_walk *c, int64_t next)
{
	c->next = next;
	if (next != INT64_MAX)
		return;
	c->at++;
	skip_others(c);
}
