#ifndef TAIL_PACKS_H
#define TAIL_PACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "pack.h"
#include "str.h"

struct arena;

/* How rows of a kind that a statement returns hold packs, and what becomes of a pack's blocks. */
struct pack_shape {
	size_t size; /* of a row */
	/* The pack in a row; nothing when it holds something else. */
	struct str (*find)(const void *row);
	/* The row of one of its blocks; false: nobody asked for it. */
	bool (*make)(const void *ask, const void *row, const struct pack_block *block,
		     void *ret_row);
};

/* Rows with the blocks of each pack in its place. */
err_t tail_unpack(struct codec *c, struct arena *a, const struct pack_shape *shape, const void *ask,
		  void **rows, size_t *count) __attribute__((warn_unused_result));

#endif
