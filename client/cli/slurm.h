#ifndef SLURM_H
#define SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"
#include "inquiry.h"

/*
 * Facts that Slurm has of the job around: in variables of the environment, and by its programs, which may hang when the
 * controller is busy and so have little time.
 */
#define SLURM_TOOL_US 2000000 /* for an answer of scontrol and sacct */

/* Whether this process is part of a job. */
bool slurm_has_job(void);

/* Asks scontrol for the time limit if the variables lack it; else the tool has no output. */
void slurm_start(struct inquiry *inquiry, const sigset_t *mask) __attribute__((nonnull));

/* The member "slurm" of an object: variables of the job, named as the wandb SDK names them, and time_limit_s. Nothing
 * outside of a job. */
void slurm_write(const struct inquiry *inquiry, struct text *object) __attribute__((nonnull));

/* Why Slurm ended the job. */
enum slurm_end {
	SLURM_END_NONE, /* it did not, or does not say so */
	SLURM_END_TIME_LIMIT,
	SLURM_END_PREEMPTED,
	SLURM_END_NODE_FAILED,
	SLURM_END_OUT_OF_MEMORY,
	SLURM_END_CANCELLED
};

/* Asks sacct and scontrol, for SLURM_TOOL_US at most. If they do not say it, a job that was signalled near its end has
 * reached its time limit. */
enum slurm_end slurm_ask_end(bool was_signalled, const sigset_t *mask) __attribute__((nonnull));

/* "time limit of the Slurm job"; NULL for SLURM_END_NONE. */
const char *slurm_end_reason(enum slurm_end end);

#endif
