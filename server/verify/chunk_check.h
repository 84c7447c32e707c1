#ifndef CHUNK_CHECK_H
#define CHUNK_CHECK_H

#include "chunk.h"
#include "key_stats.h"
#include "verify_store.h"

/*
 * Whether a chunk's row tells the truth about its bytes, and whether chunks follow each other without a
 * gap. Pure; each answers NULL, or in words what is wrong. What has a checksum is decoded before, and
 * everything else that is stored of a chunk is made of that again here.
 */

/* value_count, kind, rows and steps; rows rise within the chunk. */
const char *chunk_check_columns(struct arena *a, const struct verify_chunk *row, int16_t kind,
				const struct chunk *chunk);

/* The rollup, decoded, is what the values make, bit for bit. */
const char *chunk_check_roll(struct arena *a, struct codec *codec, const struct verify_chunk *row,
			     const struct chunk *chunk);

/* All chunks of one key, kind and writer in order. */
struct chunk_chain {
	int64_t next;     /* index of the value that must follow */
	int64_t row_last; /* of the value before; -1: none */
};
/* The index; afterwards the chain stands behind the chunk in any case. */
const char *chunk_chain_index(struct arena *a, struct chunk_chain *chain,
			      const struct verify_chunk *row);
/* The rows: those of a chunk come after those of the one before. */
const char *chunk_chain_rows(struct arena *a, struct chunk_chain *chain, const struct chunk *chunk);

/*
 * What a key list says of a key against what its chunks hold, of both kinds together: `found` is made of
 * them by key_stats_of_block() and key_stats_merge(), texts first.
 */
const char *chunk_check_stat(struct arena *a, const struct key_stat *told,
			     const struct key_stat *found);

#endif
