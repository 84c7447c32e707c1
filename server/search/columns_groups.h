#ifndef COLUMNS_GROUPS_H
#define COLUMNS_GROUPS_H

#include "bits.h"
#include "columns.h"
#include "search.h"

/* The groups of `rows`, which are those that match the filter and are visible. */
void columns_groups(struct arena *a, const struct columns *c, struct bits rows,
		    const struct search_groups *ask, struct search_groups_found *ret_found);

#endif
