#ifndef COLUMNS_LEAF_H
#define COLUMNS_LEAF_H

#include "bits.h"
#include "match_results.h"

/* Sets in `out` the rows in `asked` that the condition holds for. */
void leaf_rows(struct arena *a, const struct column *column, const struct filter_node *n,
	       struct match_results *results, struct bits asked, struct bits out);
/* Sets the rows that hold null. */
void leaf_null_rows(struct arena *a, const struct column *column, struct match_results *results,
		    struct bits asked, struct bits out);

/* Whether it is an expression or a free word; whether it is one of some values. */
bool leaf_is_pattern(const struct filter_node *n);
bool leaf_is_of_set(const struct filter_node *n);

#endif
