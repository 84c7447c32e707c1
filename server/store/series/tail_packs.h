#ifndef TAIL_PACKS_H
#define TAIL_PACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "pack.h"
#include "str.h"

struct arena;

/* How the rows of a statement contain packs, and how a pack's blocks become rows. */
struct pack_shape {
	size_t size; /* of a row */
	/* The pack in a row; empty if it contains another kind of data. */
	struct str (*find)(const void *row);
	/* Makes the row of one of its blocks; false: it was not asked for. */
	bool (*make)(const void *ask, const void *row, const struct pack_block *block,
		     void *ret_row);
};

/* Replaces each pack's row by the rows of its blocks. */
err_t tail_unpack(struct codec *c, struct arena *a, const struct pack_shape *shape, const void *ask,
		  void **rows, size_t *count) __attribute__((warn_unused_result));

#endif
