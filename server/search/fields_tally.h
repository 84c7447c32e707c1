#ifndef FIELDS_TALLY_H
#define FIELDS_TALLY_H

#include "dictionary.h"
#include "search.h"
#include "tally.h"

/* The names of runs' fields, each with how many runs have it and its kinds. */
struct fields_tally {
	struct tally tally;
	struct arena *arena;
	const struct search_fields *ask;
	struct bounded_arena name_texts;
	struct dictionary names;
	struct fields_counted *fields; /* by the number of the name */
	size_t room;
	unsigned turn; /* how many columns were added */
};

struct fields_tally *fields_tally_new(struct arena *a, const struct search_fields *ask,
				      int64_t deadline_us)
	__attribute__((nonnull, returns_nonnull));
/* In order of their names. */
void fields_tally_end(struct fields_tally *t, struct search_fields_found *ret_found);

#endif
