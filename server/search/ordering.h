#ifndef ORDERING_H
#define ORDERING_H

#include "bits.h"
#include "search.h"
#include "top.h"
#include "value_key.h"

/* The order of a page's rows: by its keys, then by run, so that no two are equal. */
struct ordering {
	const struct columns *columns;
	struct value_columns key;
	bool descending;
	bool by_key; /* there is one column, whose values have keys */
	struct value_columns more[SEARCH_ORDERS_MORE];
	const struct search_page *ask;
};

struct ordering ordering_of(struct arena *a, const struct columns *c,
			    const struct search_page *ask);
/* For one column, if there is one. */
struct value_key ordering_key(const struct ordering *o, uint32_t row);
int ordering_compare(const void *ordering, uint32_t a, uint32_t b);
int ordering_compare_ids(bool descending, int64_t a, int64_t b);

/* The rows from ask->offset on, as many as there is room for in the empty `top`. */
void ordering_window(struct arena *a, const struct ordering *o, struct bits rows, struct top *top);

#endif
