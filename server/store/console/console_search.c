#include "console_search.h"

#include "arena.h"
#include "clock.h"

enum { SCRATCH_BYTES = 1 << 20 };

/* The window being searched, after the last lines of the one before it. */
struct window {
	struct lines lines;
	int64_t next; /* INT64_MAX: the last window */
	struct arena *scratch;
	struct arena *kept[2]; /* of lines->items at the beginning, and of the next ones */
	struct lines carried;
};

static struct line copy_line(struct arena *a, const struct line *line)
{
	struct line copy = *line;

	copy.text.at = arena_copy(a, line->text.at ? line->text.at : "", line->text.len);
	return copy;
}

static struct lines copy_lines(struct arena *a, const struct line *lines, uint32_t count)
{
	struct lines copy = { count, arena_new_array(a, struct line, count) };

	for (uint32_t i = 0; i < count; i++)
		copy.items[i] = copy_line(a, &lines[i]);
	return copy;
}

/* ---- windows -------------------------------------------------------------------------------------- */

static void join(struct window *w, const struct lines *come)
{
	struct lines all = { w->carried.count + come->count, NULL };

	all.items = arena_new_array(w->scratch, struct line, all.count);
	for (uint32_t i = 0; i < w->carried.count; i++)
		all.items[i] = w->carried.items[i];
	for (uint32_t i = 0; i < come->count; i++)
		all.items[w->carried.count + i] = come->items[i];
	w->lines = all;
}

static err_t read_window(struct console_search *s, struct window *w)
{
	struct arena *a = db_arena(s->db);
	struct lines come;
	err_t e;

	arena_reset(w->scratch);
	db_set_arena(s->db, w->scratch);
	e = console_lines_read(s->db, s->codec, &s->scan, &come, &w->next);
	db_set_arena(s->db, a);
	if (e)
		return err_wrap(a, e, "cannot search the console");
	join(w, &come);
	s->work_left -= (int64_t)lines_size(&come) + 1;
	return NULL;
}

/* Keeps the lines that are context of the next ones. */
static void carry(struct window *w, uint32_t context)
{
	uint32_t count = w->lines.count < 2 * context ? w->lines.count : 2 * context;
	struct arena *a = w->kept[1];

	w->kept[1] = w->kept[0];
	w->kept[0] = a;
	arena_reset(a);
	w->carried = copy_lines(a, w->lines.items + w->lines.count - count, count);
}

/* ---- finding -------------------------------------------------------------------------------------- */

static struct lines between(struct arena *a, const struct lines *lines, uint32_t from, uint32_t to)
{
	if (to > lines->count)
		to = lines->count;
	return copy_lines(a, lines->items + from, to - from);
}

static void add_found(struct console_search *s, const struct lines *lines, uint32_t i)
{
	struct arena *a = db_arena(s->db);
	struct found_line *f;

	if (s->found_count == s->found_size)
		s->found = arena_grow(a, s->found, &s->found_size, sizeof(*s->found));
	f = &s->found[s->found_count++];
	f->writer = s->scan.writer;
	f->line = copy_line(a, &lines->items[i]);
	f->before = between(a, lines, i < s->context ? 0 : i - s->context, i);
	f->after = between(a, lines, i + 1, i + 1 + s->context);
	s->bytes_left -=
		(int64_t)(f->line.text.len + lines_size(&f->before) + lines_size(&f->after));
}

static bool is_full(const struct console_search *s)
{
	return s->found_count >= s->limit || s->bytes_left <= 0;
}

static bool is_late(const struct console_search *s)
{
	return s->end_us && clock_mono_us() > s->end_us;
}

bool console_search_has_room(const struct console_search *s)
{
	return !is_full(s) && s->work_left > 0 && !is_late(s);
}

/* An expression may be slow with every line, so the clock is checked before each. */
static bool goes_on(const struct console_search *s)
{
	return !is_full(s) && (!s->match->regex || !is_late(s));
}

static void look_at(struct console_search *s, const struct lines *lines, uint32_t i)
{
	const struct line *line = &lines->items[i];

	s->looked_at++;
	if (s->streams[line->stream] && line_match_is_in(s->match, line->text))
		add_found(s, lines, i);
}

/*
 * The next line to be searched is the i-th; a search that resumes there
 * reads its context before it, too.
 */
static void stop_at(struct console_search *s, const struct window *w, uint32_t i)
{
	uint32_t before = i < s->context ? 0 : i - s->context;
	int64_t number = i < w->lines.count ? w->lines.items[i].number : w->next;

	if (number > s->search_from)
		s->search_from = number;
	s->scan.from = before < w->lines.count ? w->lines.items[before].number : w->next;
}

/* Searches lines whose context is read. */
static void look(struct console_search *s, const struct window *w)
{
	const struct lines *lines = &w->lines;
	uint32_t waiting = w->next == INT64_MAX ? 0 : s->context;
	uint32_t end = lines->count < waiting ? 0 : lines->count - waiting;
	uint32_t i = 0;

	while (i < end && lines->items[i].number < s->search_from)
		i++;
	for (; i < end && goes_on(s); i++)
		look_at(s, lines, i);
	stop_at(s, w, i);
}

static err_t search_windows(struct console_search *s, struct window *w)
{
	for (;;) {
		err_t e = read_window(s, w);

		if (e)
			return e;
		if (s->time_us && !s->end_us)
			s->end_us = clock_mono_us() + s->time_us;
		look(s, w);
		if (s->search_from == INT64_MAX || !console_search_has_room(s))
			return NULL;
		carry(w, s->context);
		s->scan.from = w->next;
	}
}

err_t console_search_run(struct console_search *s, bool *ret_end)
{
	struct window w = {
		.scratch = arena_new_beside(db_arena(s->db), SCRATCH_BYTES),
		.kept = { arena_new_beside(db_arena(s->db), 4096),
			  arena_new_beside(db_arena(s->db), 4096) },
	};
	err_t e = search_windows(s, &w);

	*ret_end = s->search_from == INT64_MAX;
	arena_free(w.kept[1]);
	arena_free(w.kept[0]);
	arena_free(w.scratch);
	return e;
}
