#ifndef TRAIN_H
#define TRAIN_H

#include "dataset.h"
#include "options.h"
#include "reduce.h"

/* The training of one rank, in its own process; returns its exit status. */
int train_rank(const struct options *o, const struct dataset *d, struct reduce *reduce, int rank);

#endif
