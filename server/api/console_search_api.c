/* Lines with a text: a page ends when it is full, or when enough was looked at for one request. */
#include "app.h"
#include "console_search.h"
#include "console_walk.h"
#include "row_json.h"
#include "run_view.h"

enum { WORK_BYTES = 256 << 20 }; /* of lines that are looked at for a page */

static struct console_search begin(struct request *q, struct console_walk *c)
{
	struct console_search search = {
		.db = q->db,
		.codec = run_view_reader(q).codec,
		.match = arena_new_of(q->arena, struct line_match),
		.context = (uint32_t)c->ask.context,
		.place = { .run_id = c->run_id, .windows = CONSOLE_LARGE_WINDOWS },
		.work_left = WORK_BYTES,
		.bytes_left = CONSOLE_ITEMS_BYTES,
		.limit = (size_t)c->ask.page.limit,
	};

	line_match_init(search.match, q->arena, c->ask.search, c->ask.letters);
	return search;
}

static bool has_room(const struct console_search *s)
{
	return s->found_count < s->limit && s->bytes_left > 0 && s->work_left > 0;
}

static err_t search_writers(struct console_walk *c, struct console_search *s)
{
	while (has_room(s) && !console_walk_is_over(c)) {
		bool is_end;
		err_t e;

		s->place.writer = console_walk_writer(c)->writer;
		s->place.from = c->next == NEXT_UNKNOWN ? c->ask.from : c->next;
		s->search_from = c->search_from;
		e = console_search_run(s, &is_end);
		if (e)
			return e;
		c->search_from = s->search_from;
		console_walk_move(c, is_end ? INT64_MAX : s->place.from);
	}
	return NULL;
}

static void write_context(struct json_out *o, const char *name, const struct lines *lines,
			  const struct writer *w)
{
	json_out_key(o, name);
	json_out_array(o);
	for (uint32_t i = 0; i < lines->count; i++)
		row_json_write_line(o, &lines->items[i], w->writer, w->label);
	json_out_array_end(o);
}

static void write_found(struct console_walk *c, const struct found_line *f)
{
	struct json_out *o = &c->ask.page.out;
	const struct writer w = { .writer = f->writer, .label = labels_of(&c->labels, f->writer) };

	json_out_object(o);
	row_json_put_line(o, &f->line, w.writer, w.label);
	if (c->ask.context) {
		write_context(o, "before", &f->before, &w);
		write_context(o, "after", &f->after, &w);
	}
	json_out_object_end(o);
}

err_t console_search_reply(struct request *q, struct console_walk *c)
{
	struct console_search s = begin(q, c);
	struct page *page = &c->ask.page;
	err_t e = search_writers(c, &s);

	if (e)
		return e;
	page_begin(q, page, 0);
	for (size_t i = 0; i < s.found_count; i++)
		write_found(c, &s.found[i]);
	console_walk_set_place(q, c);
	page_end(q, page);
	return NULL;
}
