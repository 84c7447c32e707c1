#ifndef COLUMNS_FILTER_H
#define COLUMNS_FILTER_H

#include "bits.h"
#include "match_results.h"

/*
 * The rows in `asked` that match the filter, if the results report afterwards that all results
 * were known; else once they are found.
 */
struct bits columns_filter(struct arena *a, const struct columns *c,
			   const struct filter_node *filter, struct match_results *results,
			   struct bits asked);

/* The rows of living runs that the caller may see. */
struct bits columns_shown(struct arena *a, const struct columns *c, bool sees_private,
			  bool project_public);

#endif
