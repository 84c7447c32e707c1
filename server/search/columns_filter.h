#ifndef COLUMNS_FILTER_H
#define COLUMNS_FILTER_H

#include "bits.h"
#include "verdicts.h"

/*
 * Which of the rows in `asked` a filter finds, if the verdicts say afterwards that all of them were known; else
 * once they were found.
 */
struct bits columns_filter(struct arena *a, const struct columns *c,
			   const struct filter_node *filter, struct verdicts *verdicts,
			   struct bits asked);

/* Those of living runs that somebody may see. */
struct bits columns_shown(struct arena *a, const struct columns *c, bool sees_private,
			  bool project_public);

#endif
