#ifndef COLUMNS_FILTER_H
#define COLUMNS_FILTER_H

#include "bits.h"
#include "columns.h"
#include "filter.h"
#include "pattern.h"

/* Which rows a filter finds; what its expressions ran into is patterns_error()'s to say. */
struct bits columns_filter(struct arena *a, const struct columns *c,
			   const struct filter_node *filter, struct patterns *patterns);

/* Which rows whoever asks may see. */
struct bits columns_shown(struct arena *a, const struct columns *c, bool sees_private,
			  bool project_public);

#endif
