#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;
struct codec;

/*
 * A pack: small blocks of several writers of one run, one after the other
 * in one compressed frame. When many writers send a few rows each, a frame
 * and a table row for each of them cost more than the data.
 *
 * A block that is small enough stays uncompressed on its way to the tail (block_encode_rows), and
 * is compressed there with the blocks next to it, or by itself in pack_alone().
 */
enum {
	PACK_BLOCK_BYTES = 2048, /* a larger block pays for a frame of its own */
	PACK_BYTES = 7 << 10,    /* of its blocks: a page of the database holds them as they are */
	PACK_BLOCKS_MAX = 1 << 12,
};

struct pack_block {
	int32_t writer;
	uint32_t row_offset; /* of its first row, from the pack's */
	uint32_t row_count;
	int64_t step_base;  /* the run's last step before it */
	int64_t size_bytes; /* decoded */
	struct str data;
};

/* Whether the block is small enough to be packed. */
bool pack_takes(struct str block);

/* Appends the pack of at most PACK_BLOCKS_MAX blocks to `out`. */
void pack_encode(struct codec *c, const struct pack_block *blocks, uint32_t count, struct buf *out)
	__attribute__((nonnull));

/* Appends a block that pack_takes() as a compressed block. */
void pack_alone(struct codec *c, struct str block, struct buf *out) __attribute__((nonnull));

/* Everything returned lives in the arena. Corrupt bytes are an ERR_INTERNAL, never a crash. */
err_t pack_decode(struct codec *c, struct arena *a, struct str bytes,
		  struct pack_block **ret_blocks, uint32_t *ret_count)
	__attribute__((nonnull, warn_unused_result));

#endif
