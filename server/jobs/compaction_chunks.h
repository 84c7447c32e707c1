#ifndef COMPACTION_CHUNKS_H
#define COMPACTION_CHUNKS_H

#include "block.h"
#include "compaction.h"

/* One column of one writer: the existing values and the new ones. */
struct strand {
	struct open_values open;
	const struct block *block;
	const struct block_column *column;
	const struct chunk_row *before; /* chunks it continues */
	size_t before_count;
};

struct strands {
	struct strand *at;
	size_t count;
	size_t size;
};

/* Merges each strand with the open chunks of its key into new chunks of `c`. */
err_t compaction_chunks(struct compaction *c, struct strands *strands)
	__attribute__((warn_unused_result));

#endif
