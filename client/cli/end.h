#ifndef END_H
#define END_H

#include "cairn.h"
#include "watch.h"

/* Finds out why the command ended, and leaves it with the run for its finish. In a Slurm job that failed it asks Slurm, for
 * at most SLURM_TOOL_US. */
void end_set(const struct watch *watch, int code, struct cairn_run *run) __attribute__((nonnull));

#endif
