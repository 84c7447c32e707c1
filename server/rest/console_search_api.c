/* Lines with a text: a page ends when it is full, or when enough was looked at for one request. */
#include "app.h"
#include "console_search.h"
#include "console_walk.h"
#include "line_regex.h"
#include "run_view.h"

enum {
	WORK_BYTES = 256 << 20, /* of lines that are looked at for a page */
	TIME_MS = 2000,         /* that a page is looked for */
};

static err_t make_match(struct request *q, const struct console_ask *ask, struct line_match *match)
{
	struct line_regex *regex;
	err_t e;

	if (!ask->is_regex) {
		line_match_init(match, q->arena, ask->search, ask->letters);
		return NULL;
	}
	e = line_regex_new(q->arena, "search", ask->search,
			   ask->letters == LINE_MATCH_EITHER_CASE ? LINE_REGEX_EITHER_CASE
								  : LINE_REGEX_EXACT,
			   &regex);
	if (!e)
		line_match_init_regex(match, q->arena, regex);
	return e;
}

static struct console_search begin(struct request *q, struct console_walk *c)
{
	return (struct console_search){
		.db = q->db,
		.codec = run_view_reader(q).codec,
		.match = arena_new_of(q->arena, struct line_match),
		.context = (uint32_t)c->ask.context,
		.scan = { .run_id = c->run_id, .windows = CONSOLE_LARGE_WINDOWS },
		.streams = { c->ask.streams[LINE_STDOUT], c->ask.streams[LINE_STDERR] },
		.time_us = TIME_MS * INT64_C(1000),
		.work_left = WORK_BYTES,
		.bytes_left = CONSOLE_ITEMS_BYTES,
		.limit = (size_t)c->ask.page.limit,
	};
}

static err_t search_writers(struct console_walk *c, struct console_search *s)
{
	while (console_search_has_room(s) && !console_walk_is_over(c)) {
		bool is_end;
		err_t e;

		s->scan.writer = console_walk_writer(c)->writer;
		s->scan.from = c->next == NEXT_UNKNOWN ? c->ask.from : c->next;
		s->search_from = c->search_from;
		e = console_search_run(s, &is_end);
		if (e)
			return e;
		c->search_from = s->search_from;
		console_walk_move(c, is_end ? INT64_MAX : s->scan.from);
	}
	return NULL;
}

static void write_context(struct console_walk *c, const char *name, const struct lines *lines,
			  const struct writer *w)
{
	struct json_out *o = &c->ask.page.out;

	json_out_key(o, name);
	json_out_array(o);
	for (uint32_t i = 0; i < lines->count; i++) {
		json_out_object(o);
		console_ask_put_line(&c->ask, o, &lines->items[i], w);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static void write_found(struct console_walk *c, const struct found_line *f)
{
	struct json_out *o = &c->ask.page.out;
	const struct writer w = { .writer = f->writer, .label = labels_of(&c->labels, f->writer) };

	json_out_object(o);
	console_ask_put_line(&c->ask, o, &f->line, &w);
	if (c->ask.context) {
		write_context(c, "before", &f->before, &w);
		write_context(c, "after", &f->after, &w);
	}
	json_out_object_end(o);
}

err_t console_search_reply(struct request *q, struct console_walk *c)
{
	struct console_search s = begin(q, c);
	struct page *page = &c->ask.page;
	err_t e = make_match(q, &c->ask, s.match);

	if (!e)
		e = search_writers(c, &s);
	if (e)
		return e;
	page_begin(q, page, 0);
	for (size_t i = 0; i < s.found_count; i++)
		write_found(c, &s.found[i]);
	console_walk_set_cursor(q, c);
	page_end_items(q, page);
	json_out_put_int(&page->out, "looked_at", s.looked_at);
	json_out_put_int(&page->out, "given_up",
			 s.match->regex ? line_regex_given_up(s.match->regex) : 0);
	json_out_object_end(&page->out);
	return NULL;
}
