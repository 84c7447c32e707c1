#include "console_api.h"

#include <inttypes.h>

#include "auth.h"
#include "console_lines.h"
#include "db.h"
#include "json_out.h"
#include "page.h"
#include "reply.h"
#include "row_json.h"
#include "run_view.h"

enum {
	LINES_LIMIT = 1000,
	LINES_LIMIT_MAX = 10000,
	ITEMS_BYTES = 8 << 20, /* a page of items ends with the line that reaches it */
};
#define LINE_LARGEST INT64_C(2147483647)

/* Where a reader is: the writer by its place in labels, and the next line of it. */
struct console {
	struct run_reader reader; /* of the handler, or of the page being made */
	struct labels labels;
	int64_t run_id;
	struct str label;
	int64_t from; /* of each writer */
	int64_t tail; /* 0: all */
	struct page page;
	size_t at;
	int64_t next;
};

static bool is_asked(const struct console *c, const struct writer *w)
{
	return w->console_lines && (!c->label.len || str_equal(w->label, c->label));
}

static int64_t first_line(const struct console *c, const struct writer *w)
{
	int64_t first = c->tail ? w->console_lines - c->tail : 0;

	return first > c->from ? first : c->from;
}

/* On to the next writer that is asked for. */
static void next_writer(struct console *c)
{
	while (c->at < c->labels.count && !is_asked(c, &c->labels.writers[c->at]))
		c->at++;
	if (c->at < c->labels.count)
		c->next = first_line(c, &c->labels.writers[c->at]);
}

static err_t read_some(struct request *q, struct console *c, struct lines *ret_lines,
		       int64_t *ret_next)
{
	return console_lines_read(q->db, c->reader.codec, c->run_id,
				  c->labels.writers[c->at].writer, c->next, ret_lines, ret_next);
}

static void move(struct console *c, int64_t next)
{
	c->next = next;
	if (next != INT64_MAX)
		return;
	c->at++;
	next_writer(c);
}

/* ---- JSON ----------------------------------------------------------------------------------------- */

static err_t write_items(struct request *q, struct console *c, struct json_out *o)
{
	int64_t left = c->page.limit;

	while (left && o->buf->len < ITEMS_BYTES && c->at < c->labels.count) {
		const struct writer *w = &c->labels.writers[c->at];
		struct lines lines;
		int64_t next;
		err_t e = read_some(q, c, &lines, &next);

		if (e)
			return e;
		for (uint32_t i = 0; i < lines.count; i++) {
			if (!left-- || o->buf->len >= ITEMS_BYTES) {
				c->next = lines.items[i].number;
				return NULL;
			}
			row_json_write_line(o, &lines.items[i], w->writer, w->label);
		}
		move(c, next);
	}
	return NULL;
}

static err_t reply_items(struct request *q, struct console *c)
{
	err_t e;

	page_begin(q, &c->page, 0);
	e = write_items(q, c, &c->page.out);
	if (e)
		return e;
	if (c->at < c->labels.count)
		page_set_place(q, &c->page, "%d %" PRId64, c->labels.writers[c->at].writer,
			       c->next);
	page_end(q, &c->page);
	return NULL;
}

/* ---- text ----------------------------------------------------------------------------------------- */

/* One reading a call, whether it gives lines or not: dispatch makes room between them. */
static err_t add_text(struct request *q, struct console *c, struct buf *page)
{
	struct lines lines;
	int64_t next;
	err_t e = read_some(q, c, &lines, &next);

	if (e)
		return e;
	for (uint32_t i = 0; i < lines.count; i++) {
		buf_add_str(page, lines.items[i].text);
		buf_add_byte(page, '\n');
	}
	move(c, next);
	return NULL;
}

static err_t next_page(struct request *q, void *state, struct buf *page, bool *ret_done)
{
	struct console *c = state;
	struct run_view *view = run_view_begin(q, db_arena(q->db));
	err_t e = NULL;

	c->reader = *run_view_of(view);
	if (c->at < c->labels.count)
		e = add_text(q, c, page);
	*ret_done = c->at >= c->labels.count;
	run_view_end(view);
	return e;
}

/* ---- both ----------------------------------------------------------------------------------------- */

/* A place is "<writer> <line>". */
static err_t read_place(struct request *q, struct console *c)
{
	struct str line = c->page.after;
	struct str writer = str_cut(&line, ' ');
	int64_t number;

	next_writer(c);
	if (!c->page.after.len)
		return NULL;
	if (!str_to_int64(writer, 0, INT32_MAX, &number) ||
	    !str_to_int64(line, 0, INT64_MAX, &c->next))
		return page_bad_cursor(q);
	for (c->at = 0; c->at < c->labels.count; c->at++) {
		if (c->labels.writers[c->at].writer == number)
			return NULL;
	}
	return page_bad_cursor(q);
}

static err_t read_format(struct request *q, bool *ret_text)
{
	struct str format = request_query(q, "format");

	if (format.at && !str_is(format, "json") && !str_is(format, "text"))
		return err_field(q->arena, ERR_INVALID, "format", "must be json or text");
	*ret_text = str_is(format, "text");
	return NULL;
}

static err_t read_query(struct request *q, struct console *c, bool *ret_text)
{
	err_t e;

	e = labels_asked(q, &c->label);
	if (!e)
		e = request_query_int(q, "from", 0, LINE_LARGEST, 0, &c->from);
	if (!e)
		e = request_query_int(q, "tail", 1, LINES_LIMIT_MAX, 0, &c->tail);
	if (!e)
		e = page_read_limited(q, LINES_LIMIT, LINES_LIMIT_MAX, &c->page);
	if (!e)
		e = read_format(q, ret_text);
	return e;
}

err_t console_api_show(struct request *q)
{
	struct console *c = arena_new_of(q->arena, struct console);
	bool text;
	err_t e;

	c->run_id = q->target->run_id;
	e = read_query(q, c, &text);
	if (!e)
		e = labels_read(q, &c->labels);
	if (!e)
		e = read_place(q, c);
	if (e)
		return e;
	if (!text) {
		c->reader = run_view_reader(q);
		return reply_items(q, c);
	}
	reply_stream(q, "text/plain; charset=utf-8", next_page, c);
	return NULL;
}
