#ifndef ORDERED_RUNS_H
#define ORDERED_RUNS_H

#include "search.h"
#include "value.h"

/* Runs with their values under all keys of an order: sorts them, and returns a page. */
struct ordered_run {
	int64_t run_id;
	struct value values[1 + SEARCH_ORDERS_MORE];
};

/* In the order that lists have: by the keys, then by run in the direction of the first key. */
void ordered_runs_sort(const struct search_page *ask, struct ordered_run *runs, size_t count);
/* The page of sorted runs after the cursor, or from the offset on. `all` is how many there are. */
void ordered_runs_page(struct arena *a, const struct search_page *ask,
		       const struct ordered_run *runs, size_t count,
		       struct search_page_found *ret_found);

#endif
