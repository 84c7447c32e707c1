#ifndef CHUNK_H
#define CHUNK_H

#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;
struct codec;

/*
 * A chunk: up to 4096 values of one (run, stream, writer, key, kind), the form history stays in. It
 * carries its rows and steps, so nothing else is needed to read it. Regular rows and steps, and
 * steps that are row + c, take nearly no bytes. Not in it: run, stream, writer, key, and the
 * absolute index of its first value (its position among all values of that writer and key).
 *
 * Numeric chunks are full but for those after the last full one; chunk_layout.h says where they
 * begin. Text chunks may end early, at CHUNK_TEXT_BYTES.
 */
enum {
	CHUNK_VALUES = 4096,
	CHUNK_TEXT_BYTES = 4 << 20, /* stop adding texts to a chunk when it holds this much */
};

struct chunk {
	uint32_t count;
	const int64_t *rows; /* run-global, ascending */
	const int64_t *steps;
	const double *numbers;   /* NULL: a text chunk */
	const struct str *texts; /* JSON text; NULL: a numeric chunk */
};

/* Appends to `out`; count is 1 to CHUNK_VALUES. Bit-exact but for the payloads of NaN. */
void chunk_encode(struct codec *c, const struct chunk *chunk, struct buf *out)
	__attribute__((nonnull));

/* All memory is the arena's. Corrupt bytes are an ERR_INTERNAL. */
err_t chunk_decode(struct codec *c, struct arena *a, struct str bytes, struct chunk *ret_chunk)
	__attribute__((nonnull, warn_unused_result));

#endif
