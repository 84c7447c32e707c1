#include "listing.h"

#include "arena.h"

enum { LISTING_COLUMNS = 9 };

struct cell {
	struct cell *next;
	struct str text;
};

struct listing {
	struct arena *arena;
	size_t columns, count;
	int width[LISTING_COLUMNS];
	struct cell *first, **last;
};

struct listing *listing_new(struct arena *a, const char *const *head)
{
	struct listing *l = arena_new_of(a, struct listing);

	l->arena = a;
	l->last = &l->first;
	while (head[l->columns] && l->columns < LISTING_COLUMNS)
		l->columns++;
	for (size_t i = 0; i < l->columns; i++)
		listing_add(l, str_of(head[i]));
	return l;
}

void listing_add(struct listing *l, struct str text)
{
	struct cell *cell = arena_new_of(l->arena, struct cell);
	size_t column = l->count++ % l->columns;

	cell->text = (struct str){ str_copy(l->arena, text), text.len };
	*l->last = cell;
	l->last = &cell->next;
	if ((int)text.len > l->width[column])
		l->width[column] = (int)text.len;
}

void listing_add_time(struct listing *l, timestamp_us time)
{
	char text[CLOCK_TEXT_SIZE];

	if (!time.us) {
		listing_add(l, STR("-"));
		return;
	}
	clock_format(time, text);
	listing_add(l, (struct str){ text, sizeof("2026-11-21T10:00:00") - 1 });
}

void listing_print(const struct listing *l, FILE *out)
{
	size_t column = 0;

	for (const struct cell *c = l->first; c; c = c->next) {
		if (++column == l->columns) {
			fprintf(out, "%.*s\n", STR_ARG(c->text));
			column = 0;
		} else {
			fprintf(out, "%-*.*s  ", l->width[column - 1], STR_ARG(c->text));
		}
	}
}
