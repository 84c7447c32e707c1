#ifndef VALUES_TALLY_H
#define VALUES_TALLY_H

#include "search.h"
#include "tally.h"
#include "value_table.h"

/* The values under one field, each with how many runs have it: for a list each of its items. */
struct values_tally {
	struct tally tally;
	struct arena *arena;
	const struct search_field_values *ask;
	struct value_table values;
	struct values_counted *counted; /* by the number of the value */
	size_t room;
	uint64_t rows; /* that were read in columns before */
	int64_t runs;  /* that have the field */
	uint64_t cells;
	uint64_t look_at; /* the clock is read after so much work */
	bool is_full;
	bool is_late;
};

enum { VALUES_MAX = 1 << 20 }; /* different ones */

struct values_tally *values_tally_new(struct arena *a, const struct search_field_values *ask,
				      int64_t deadline_us)
	__attribute__((nonnull, returns_nonnull));
/* ERR_UNPROCESSABLE: there are more than VALUES_MAX; or the error of the match. */
err_t values_tally_end(struct values_tally *t, struct search_field_values_found *ret_found)
	__attribute__((warn_unused_result));

#endif
