#include "sweep_members.h"

#include <stdlib.h>

#include "arena.h"
#include "sweep_config.h"

void sweep_items_add(struct sweep_items *items, struct sweep_value v)
{
	buf_add(&items->values, &v, sizeof(v));
}

void sweep_items_end(struct arena *a, struct sweep_items *items, struct sweep_value *ret_list)
{
	ret_list->kind = SWEEP_LIST;
	ret_list->list.count = items->values.len / sizeof(struct sweep_value);
	ret_list->list.items = arena_copy(a, buf_str(&items->values).at, items->values.len);
	buf_free(&items->values);
}

void sweep_members_add(struct sweep_members *members, struct sweep_member m)
{
	buf_add(&members->members, &m, sizeof(m));
}

/* A member by its place, for sorting. */
struct named {
	struct str name;
	size_t place;
};

static int by_name_and_place(const void *x, const void *y)
{
	const struct named *a = x;
	const struct named *b = y;
	int order = str_compare(a->name, b->name);

	if (order)
		return order;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void note_duplicate(struct arena *a, struct sweep_faults *faults,
			   const struct sweep_member *m)
{
	const char *text = arena_printf(a, "duplicate name \"%.*s\": only the last value is used",
					STR_ARG(str_head(m->name, 100)));

	sweep_fault_add(
		a, faults,
		(struct sweep_fault){ .line = m->line, .column = m->column, .text = str_of(text) });
}

/* Moves the values of later ones to the first of its name; the later ones are marked by a name without a place. */
static size_t merge_equal(struct arena *a, struct sweep_member *members, size_t count,
			  struct sweep_faults *faults)
{
	struct named *sorted = malloc((count + 1) * sizeof(*sorted));
	size_t first = 0;
	size_t left = count;

	if (!sorted)
		abort();
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct named){ members[i].name, i };
	qsort(sorted, count, sizeof(*sorted), by_name_and_place);
	for (size_t i = 1; i < count; i++) {
		struct sweep_member *m = &members[sorted[i].place];

		if (!str_equal(sorted[first].name, sorted[i].name)) {
			first = i;
			continue;
		}
		if (faults)
			note_duplicate(a, faults, m);
		members[sorted[first].place].value = m->value;
		m->name.at = NULL;
		left--;
	}
	free(sorted);
	return left;
}

void sweep_members_end(struct arena *a, struct sweep_members *members,
		       struct sweep_value *ret_object, struct sweep_faults *faults)
{
	size_t count = members->members.len / sizeof(struct sweep_member);
	struct sweep_member *all =
		arena_copy(a, buf_str(&members->members).at, members->members.len);
	size_t left = merge_equal(a, all, count, faults);
	size_t kept = 0;

	buf_free(&members->members);
	for (size_t i = 0; left < count && i < count; i++)
		if (all[i].name.at)
			all[kept++] = all[i];
	ret_object->kind = SWEEP_OBJECT;
	ret_object->object.count = left;
	ret_object->object.members = all;
}
