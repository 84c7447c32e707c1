#ifndef VERIFY_VALUES_H
#define VERIFY_VALUES_H

#include "block.h"
#include "chunk_check.h"
#include "row_map.h"
#include "verify_run.h"

/* The walk over the chunks of a stream; only for verify_keys.c and verify_values.c. */

/* Strands 2 i and 2 i + 1 are a key's numbers and texts. */
enum { WALK_STRANDS = 64 };

struct strand {
	struct verify_from from;
	struct chunk_chain chain;
	struct key_stat told;
	struct key_stat found;
	char *text; /* of found */
	bool done;
	bool broken; /* a chunk of it cannot be read */
};

struct walk {
	struct verify_run *v;
	int stream; /* 0, 1 */
	struct row_map map;
	int64_t step_max;
	struct strand strands[WALK_STRANDS]; /* pointing to memory of v->slice */
	size_t strand_count;
};

/* Walks them from their first chunks to their last; afterwards there are none. */
err_t walk_strands(struct walk *w) __attribute__((warn_unused_result));

#endif
