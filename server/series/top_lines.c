#include "top_lines.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

int line_cursor_compare(const struct line_cursor *a, const struct line_cursor *b)
{
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static struct line_cursor cursor_of(const struct top_lines *top, const struct top_line *l)
{
	return (struct line_cursor){ line_position(&l->line, top->by), l->writer, l->line.number };
}

/* Below 0: x comes before y in the answer. */
static int compare(const struct top_lines *top, const struct top_line *x, const struct top_line *y)
{
	struct line_cursor a = cursor_of(top, x);
	struct line_cursor b = cursor_of(top, y);
	int order = line_cursor_compare(&a, &b);

	return top->order == TOP_EARLIEST ? order : -order;
}

static void free_items(void *p)
{
	struct top_lines *top = p;

	for (size_t i = 0; i < top->count; i++)
		free(top->items[i].text);
	free(top->items);
}

struct top_lines *top_lines_new(struct arena *a, enum line_order by, enum top_lines_order order,
				size_t limit, size_t bytes_limit)
{
	struct top_lines *top = arena_new_of(a, struct top_lines);

	top->by = by;
	top->order = order;
	top->limit = limit;
	top->bytes_limit = bytes_limit;
	arena_defer(a, free_items, top);
	return top;
}

/* ---- the heap ----------------------------------------------------------------------------------- */

static void swap(struct top_line *x, struct top_line *y)
{
	struct top_line kept = *x;

	*x = *y;
	*y = kept;
}

static void sift_up(struct top_lines *top, size_t at)
{
	while (at) {
		size_t above = (at - 1) / 2;

		if (compare(top, &top->items[above], &top->items[at]) >= 0)
			return;
		swap(&top->items[above], &top->items[at]);
		at = above;
	}
}

static void sift_down(struct top_lines *top)
{
	for (size_t at = 0, last; 2 * at + 1 < top->count; at = last) {
		last = 2 * at + 1;
		if (last + 1 < top->count &&
		    compare(top, &top->items[last + 1], &top->items[last]) > 0)
			last++;
		if (compare(top, &top->items[at], &top->items[last]) >= 0)
			return;
		swap(&top->items[at], &top->items[last]);
	}
}

static void drop_last(struct top_lines *top)
{
	top->bytes -= top->items[0].line.text.len;
	free(top->items[0].text);
	top->items[0] = top->items[--top->count];
	sift_down(top);
	top->is_cut = true;
}

static void *claim(void *p)
{
	if (!p)
		abort();
	return p;
}

static void make_room(struct top_lines *top)
{
	if (top->count < top->size)
		return;
	top->size = top->size ? 2 * top->size : 64;
	top->items = claim(realloc(top->items, top->size * sizeof(*top->items)));
}

static void keep(struct top_lines *top, struct top_line *l)
{
	l->text = claim(malloc(l->line.text.len + 1));
	if (l->line.text.len)
		memcpy(l->text, l->line.text.at, l->line.text.len);
	l->line.text.at = l->text;
	make_room(top);
	top->items[top->count++] = *l;
	top->bytes += l->line.text.len;
	sift_up(top, top->count - 1);
}

static bool is_over(const struct top_lines *top)
{
	return top->count > top->limit || (top->bytes > top->bytes_limit && top->count > 1);
}

/* Once a line was left out, no line after the kept ones may be added: it would take its place. */
void top_lines_offer(struct top_lines *top, int32_t writer, const struct line *line)
{
	struct top_line l = { writer, *line, NULL };

	if (top->is_cut && compare(top, &l, &top->items[0]) > 0)
		return;
	keep(top, &l);
	while (is_over(top))
		drop_last(top);
}

bool top_lines_is_beyond(const struct top_lines *top, int64_t position)
{
	bool is_full = top->is_cut || top->count == top->limit;
	int64_t last;

	if (!is_full)
		return false;
	last = line_position(&top->items[0].line, top->by);
	return top->order == TOP_EARLIEST ? position > last : position < last;
}

void top_lines_sort(struct top_lines *top)
{
	size_t count = top->count;

	while (top->count > 1) {
		top->count--;
		swap(&top->items[0], &top->items[top->count]);
		sift_down(top);
	}
	top->count = count;
}
