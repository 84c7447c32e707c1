#include "ordered_runs.h"

#include <stdlib.h>

#include "arena.h"

static bool is_descending(const struct search_page *ask, size_t key)
{
	return key ? ask->more[key - 1].descending : ask->descending;
}

static int compare(const void *x, const void *y, void *context)
{
	const struct search_page *ask = context;
	const struct ordered_run *a = x;
	const struct ordered_run *b = y;
	int order = 0;

	for (size_t i = 0; i <= ask->more_count && !order; i++)
		order = value_order(is_descending(ask, i), &a->values[i], &b->values[i]);
	if (order)
		return order;
	order = (a->run_id > b->run_id) - (a->run_id < b->run_id);
	return ask->descending ? -order : order;
}

void ordered_runs_sort(const struct search_page *ask, struct ordered_run *runs, size_t count)
{
	if (count)
		qsort_r(runs, count, sizeof(*runs), compare, (void *)(uintptr_t)ask);
}

void ordered_runs_page(struct arena *a, const struct search_page *ask,
		       const struct ordered_run *runs, size_t count,
		       struct search_page_found *ret_found)
{
	struct ordered_run cursor = { .run_id = ask->cursor_run_id };
	size_t most = (size_t)ask->limit < count ? (size_t)ask->limit : count;
	const size_t from = (size_t)ask->offset < count ? (size_t)ask->offset : count;

	if (ask->has_cursor)
		cursor.values[0] = value_read(&ask->cursor);
	for (size_t i = 0; i < ask->more_count && ask->has_cursor; i++)
		cursor.values[i + 1] = value_read(&ask->cursor_more[i]);
	*ret_found = (struct search_page_found){
		.runs = arena_new_array(a, struct search_found_run, most + 1),
		.all = (int64_t)count,
	};
	for (size_t i = from; i < count && ret_found->count < most; i++) {
		struct search_found_run *run = &ret_found->runs[ret_found->count];

		if (ask->has_cursor && compare(&runs[i], &cursor, (void *)(uintptr_t)ask) <= 0)
			continue;
		run->run_id = runs[i].run_id;
		run->value = value_write(a, &runs[i].values[0]);
		for (size_t k = 0; k < ask->more_count; k++)
			run->more[k] = value_write(a, &runs[i].values[k + 1]);
		ret_found->count++;
	}
}
