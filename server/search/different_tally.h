#ifndef DIFFERENT_TALLY_H
#define DIFFERENT_TALLY_H

#include "search.h"
#include "tally.h"
#include "value_table.h"

/* The different values that the runs of groups have under keys, each with how many runs have it. */
struct different_tally {
	struct tally tally;
	struct arena *arena;
	const struct search_different *ask;
	struct value_table groups; /* by their index in ask->groups */
	struct different_key *keys;
	size_t values; /* of all keys, as are texts and notes */
	size_t texts;  /* bytes */
	size_t notes;
	uint64_t cells;
	uint64_t look_at; /* the clock is read after so many cells */
	bool is_full;
	bool is_late;
};

struct different_tally *different_tally_new(struct arena *a, const struct search_different *ask,
					    int64_t deadline_us)
	__attribute__((nonnull, returns_nonnull));
/* ERR_UNPROCESSABLE: the keys have more than one of the limits SEARCH_DIFFERENT_. */
err_t different_tally_end(struct different_tally *t, struct search_different_found **ret_found)
	__attribute__((warn_unused_result));

#endif
