#ifndef CHUNK_CHECK_H
#define CHUNK_CHECK_H

#include "chunk.h"
#include "key_stats.h"
#include "verify_store.h"

/*
 * Checks that a chunk's row matches its bytes, and that chunks follow each other without a gap.
 * Pure; each returns NULL, or the fault in words. The part with a checksum is decoded before, and
 * everything else that is stored of a chunk is derived from it again here.
 */

/* value_count, kind, rows and steps; rows rise within the chunk. */
const char *chunk_check_columns(struct arena *a, const struct verify_chunk *row, int16_t kind,
				const struct chunk *chunk);

/* The rollup, decoded, equals that of the values, bit for bit. */
const char *chunk_check_roll(struct arena *a, struct codec *codec, const struct verify_chunk *row,
			     const struct chunk *chunk);

/* All chunks of one key, kind and writer in order. */
struct chunk_chain {
	int64_t next;     /* index of the value that must follow */
	int64_t row_last; /* of the value before; -1: none */
};
/* The index; afterwards the chain continues after the chunk in any case. */
const char *chunk_chain_index(struct arena *a, struct chunk_chain *chain,
			      const struct verify_chunk *row);
/* The rows: those of a chunk come after those of the one before. */
const char *chunk_chain_rows(struct arena *a, struct chunk_chain *chain, const struct chunk *chunk);

/*
 * Compares a key's entry in the key list with its chunks, of both kinds together: `found` is made
 * of them by key_stats_of_block() and key_stats_merge(), texts first.
 */
const char *chunk_check_stat(struct arena *a, const struct key_stat *told,
			     const struct key_stat *found);

#endif
