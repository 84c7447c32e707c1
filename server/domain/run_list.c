#include "run_list.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
	const int64_t x = ((const struct run *)a)->run_id;
	const int64_t y = ((const struct run *)b)->run_id;

	return (x > y) - (x < y);
}

void run_list_sort(struct run *runs, size_t count)
{
	if (count)
		qsort(runs, count, sizeof(runs[0]), by_id);
}

const struct run *run_list_find(const struct run *runs, size_t count, int64_t run_id)
{
	const struct run one = { .run_id = run_id };

	return count ? bsearch(&one, runs, count, sizeof(one), by_id) : NULL;
}
