#ifndef CHUNK_LAYOUT_H
#define CHUNK_LAYOUT_H

#include <stdint.h>

/*
 * The bounds of numeric chunks. Values come a few at a time; rewriting the open chunk of 4096 for
 * each few would write the same values hundreds of times. So an open 4096 is stored in pieces:
 * whole 512s, then a rest of fewer. Values that reach the end of a 512 or a 4096 are joined with
 * its earlier pieces: each value is written about three times, and a key has at most eight pieces
 * after its full chunks. All but the rest hold whole cells, so a cell (rollup.h) is never in two
 * chunks. Rejected: more levels. A chunk costs as much as some 600 values, whatever is in it, so
 * one more piece costs more than the values that it saves from being written again.
 */

/* `count` values follow the `next` existing ones: the index from which chunks are rewritten. */
int64_t chunk_layout_from(int64_t next, int64_t count);

/* Values in the chunk that begins at `from`, when the last value's index is end - 1. */
int64_t chunk_layout_length(int64_t from, int64_t end);

#endif
