#ifndef COLUMNS_PAGE_H
#define COLUMNS_PAGE_H

#include "bits.h"
#include "columns.h"
#include "search.h"

/* What search.h asks, of columns. `rows` are those that the filter found and that may be seen. */
void columns_page(struct arena *a, const struct columns *c, struct bits rows,
		  const struct search_page *ask, struct search_page_found *ret_found);
void columns_groups(struct arena *a, const struct columns *c, struct bits rows,
		    const struct search_groups *ask, struct search_groups_found *ret_found);

#endif
