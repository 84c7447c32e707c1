#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/* The network as a file, for who wants to look at it while it learns. */
struct checkpoint {
	int64_t step;
	int64_t is_last; /* the training has ended */
	struct model model;
};

/* Replaces the file at once: readers see the old one or the new one. False: see errno. */
bool checkpoint_write(const char *path, const struct checkpoint *c);

/* False when there is no file or it is none of ours. */
bool checkpoint_read(const char *path, struct checkpoint *ret_checkpoint);

#endif
