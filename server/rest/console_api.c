#include "console_api.h"

#include <inttypes.h>

#include "auth.h"
#include "console_times.h"
#include "console_walk.h"
#include "db.h"
#include "reply.h"
#include "run_view.h"

static void write_line(const struct console_walk *c, struct json_out *o, const struct line *line,
		       const struct writer *w)
{
	json_out_object(o);
	console_ask_put_line(&c->ask, o, line, w);
	json_out_object_end(o);
}

/* ---- by line, JSON ---------------------------------------------------------------------------------- */

static err_t write_items(struct request *q, struct console_walk *c, struct json_out *o)
{
	int64_t left = c->ask.page.limit;

	while (left && o->buf->len < CONSOLE_ITEMS_BYTES && !console_walk_is_over(c)) {
		const struct writer *w = console_walk_writer(c);
		struct lines lines;
		int64_t next;
		err_t e = console_walk_read(q, c, &lines, &next);

		if (e)
			return e;
		for (uint32_t i = 0; i < lines.count; i++) {
			if (!left-- || o->buf->len >= CONSOLE_ITEMS_BYTES) {
				c->next = lines.items[i].number;
				return NULL;
			}
			write_line(c, o, &lines.items[i], w);
		}
		console_walk_move(c, next);
	}
	return NULL;
}

static err_t reply_items(struct request *q, struct console_walk *c)
{
	struct page *page = &c->ask.page;
	err_t e;

	c->reader = run_view_reader(q);
	page_begin(q, page, 0);
	e = write_items(q, c, &page->out);
	if (e)
		return e;
	console_walk_set_cursor(q, c);
	page_end(q, page);
	return NULL;
}

/* ---- by line, streamed ---------------------------------------------------------------------------------- */

static void add_item(const struct console_walk *c, struct buf *slice, const struct line *line,
		     const struct writer *w)
{
	struct json_out o = json_out_begin(slice);

	write_line(c, &o, line, w);
}

/* One reading a call, whether it gives lines or not: dispatch makes room between them. */
static err_t add_lines(struct request *q, struct console_walk *c, struct buf *slice)
{
	const struct writer *w = console_walk_writer(c);
	struct lines lines;
	int64_t next;
	err_t e = console_walk_read(q, c, &lines, &next);

	if (e)
		return e;
	for (uint32_t i = 0; i < lines.count; i++) {
		if (c->ask.format == CONSOLE_TEXT)
			buf_add_str(slice, lines.items[i].text);
		else
			add_item(c, slice, &lines.items[i], w);
		buf_add_byte(slice, '\n');
	}
	console_walk_move(c, next);
	return NULL;
}

static err_t next_slice(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct console_walk *c = state;
	struct run_view *view = run_view_begin(q, db_arena(q->db));
	err_t e = NULL;

	c->reader = *run_view_of(view);
	if (!console_walk_is_over(c))
		e = add_lines(q, c, slice);
	*ret_done = console_walk_is_over(c);
	run_view_end(view);
	return e;
}

static err_t reply_lines(struct request *q, struct console_walk *c)
{
	err_t e = console_walk_begin(q, c);

	if (e)
		return e;
	if (c->ask.format == CONSOLE_ITEMS)
		return reply_items(q, c);
	reply_stream(q,
		     c->ask.format == CONSOLE_TEXT ? "text/plain; charset=utf-8"
						   : "application/x-ndjson",
		     next_slice, c);
	return NULL;
}

static err_t reply_search(struct request *q, struct console_walk *c)
{
	err_t e = console_walk_begin(q, c);

	return e ? e : console_search_reply(q, c);
}

/* ---- by time, by arrival ---------------------------------------------------------------------------- */

/* A position is "<time or arrival> <writer> <line>" of the last line. */
static err_t read_line_cursor(struct request *q, const struct page *page,
			      struct line_cursor *ret_cursor)
{
	struct str rest = page->after;
	struct str position = str_cut(&rest, ' ');
	struct str writer = str_cut(&rest, ' ');
	int64_t number;

	if (!str_to_int64(position, 0, INT64_MAX, &ret_cursor->position) ||
	    !str_to_int64(writer, 0, INT32_MAX, &number) ||
	    !str_to_int64(rest, 0, INT64_MAX, &ret_cursor->number))
		return page_bad_cursor(q);
	ret_cursor->writer = (int32_t)number;
	return NULL;
}

static enum line_order order_of(const struct console_walk *c)
{
	return c->ask.mode == CONSOLE_BY_ARRIVAL ? LINES_BY_ARRIVAL : LINES_BY_TIME;
}

static err_t read_times(struct request *q, struct console_walk *c, const struct line_cursor *after,
			const struct top_lines **ret_lines, bool *ret_more)
{
	struct console_times times = {
		.run_id = c->run_id,
		.streams = { c->ask.streams[LINE_STDOUT], c->ask.streams[LINE_STDERR] },
		.by = order_of(c),
		.from = c->ask.position_from,
		.to = c->ask.position_to,
		.order = c->ask.order,
		.after = after,
		.limit = (size_t)c->ask.page.limit,
		.bytes = CONSOLE_ITEMS_BYTES,
	};
	int32_t *writers;

	if (c->ask.writers.count)
		writer_ranges_find(&c->ask.writers, &c->labels, q->arena, &writers,
				   &times.writer_count);
	else
		labels_find(&c->labels, q->arena, c->ask.label, &writers, &times.writer_count);
	times.writers = writers;
	return console_times_read(q->db, run_view_reader(q).codec, &times, ret_lines, ret_more);
}

static void write_times(struct request *q, struct console_walk *c, const struct top_lines *lines,
			bool more)
{
	struct page *page = &c->ask.page;

	page_begin(q, page, 0);
	for (size_t i = 0; i < lines->count; i++) {
		const struct top_line *l = &lines->items[i];
		const struct writer w = { .writer = l->writer,
					  .label = labels_of(&c->labels, l->writer) };

		write_line(c, &page->out, &l->line, &w);
	}
	if (more && lines->count) {
		const struct top_line *last = &lines->items[lines->count - 1];

		page_set_cursor(q, page, "%" PRId64 " %d %" PRId64,
				line_position(&last->line, order_of(c)), last->writer,
				last->line.number);
	}
	page_end(q, page);
}

static err_t reply_times(struct request *q, struct console_walk *c)
{
	bool is_first = !c->ask.page.after.len;
	const struct top_lines *lines;
	struct line_cursor after;
	bool more;
	err_t e = NULL;

	if (!is_first)
		e = read_line_cursor(q, &c->ask.page, &after);
	if (!e)
		e = labels_read(q, &c->labels);
	if (!e)
		e = read_times(q, c, is_first ? NULL : &after, &lines, &more);
	if (e)
		return e;
	write_times(q, c, lines, more);
	return NULL;
}

/* ---- all -------------------------------------------------------------------------------------------- */

err_t console_api_show(struct request *q)
{
	struct console_walk *c = arena_new_of(q->arena, struct console_walk);
	err_t e;

	c->run_id = q->target->run_id;
	e = console_ask_read(q, &c->ask);
	if (e)
		return e;
	switch (c->ask.mode) {
	case CONSOLE_BY_TIME:
	case CONSOLE_BY_ARRIVAL:
		return reply_times(q, c);
	case CONSOLE_SEARCH:
		return reply_search(q, c);
	case CONSOLE_BY_LINE:
		break;
	}
	return reply_lines(q, c);
}
