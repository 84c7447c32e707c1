#ifndef WANDB_FILTER_H
#define WANDB_FILTER_H

#include "gql_run.h"

/*
 * Filters of lists that are read whole: {"state": "COMMITTED", "tags": {"$in": ["a", "b"]}, "$or": [...]}. Operators are those of
 * the filter of runs that compare one value. A value that is a list matches if one of its items does.
 */

/* The value that an item has by that name; NULL: it has none. */
typedef err_t wandb_filter_value(struct arena *a, const void *item, struct str name,
				 const struct json_doc **ret_value);
struct wandb_filter {
	const char *names;  /* with blanks between */
	const char *prefix; /* of any other name, "metadata."; NULL: there are no others */
	const char *shown;  /* the names as an error lists them */
	wandb_filter_value *value_of;
};

/* Reads the argument "filters"; *ret_doc is NULL if there is none. */
err_t wandb_filter_read(struct gql_call *call, const struct wandb_filter *filter,
			const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));
err_t wandb_filter_match(struct arena *a, const struct wandb_filter *filter,
			 const struct json_doc *doc, const void *item, bool *ret_matches)
	__attribute__((nonnull(1, 2, 4, 5), warn_unused_result));

/* A time as answers have it: such texts compare as the times do. */
const struct json_doc *wandb_filter_time(struct arena *a, timestamp_us time)
	__attribute__((nonnull, returns_nonnull));

#endif
