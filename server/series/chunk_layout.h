#ifndef CHUNK_LAYOUT_H
#define CHUNK_LAYOUT_H

#include <stdint.h>

/*
 * Where numeric chunks begin and end. Values come a few at a time; writing the open chunk of 4096
 * anew for each few would write the same values hundreds of times. So an open 4096 lies in pieces:
 * whole 1024s, then whole cells of 256, then a rest of less than a cell. Values that reach the end of a
 * cell, a 1024 or a 4096 are put together with what is there of it: each value is written about four
 * times, and a key has at most seven pieces after its full chunks. All but the rest hold whole cells,
 * so cells (rollup.h) never lie in two chunks.
 */

/* `count` values follow the `next` that are there: the index from which chunks are written again. */
int64_t chunk_layout_from(int64_t next, int64_t count);

/* Values in the chunk that begins at `from`, when the last value's index is end - 1. */
int64_t chunk_layout_length(int64_t from, int64_t end);

#endif
