#ifndef COLUMNS_PAGE_H
#define COLUMNS_PAGE_H

#include "bits.h"
#include "columns.h"
#include "search.h"

/*
 * The pages of search.h, from columns. `rows` are those that the filter found and that may be seen.
 */
/* Keeps only the rows with the value. */
void columns_of_group(struct arena *a, const struct columns *c, const struct filter_path *key,
		      const struct search_value *group, struct bits rows);
void columns_page(struct arena *a, const struct columns *c, struct bits rows,
		  const struct search_page *ask, struct search_page_found *ret_found);

#endif
