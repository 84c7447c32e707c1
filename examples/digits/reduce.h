#ifndef REDUCE_H
#define REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/*
 * Sums gradients over processes in shared memory, and goes on without those that died.
 *
 *	rank 0     rank 1     rank 2     rank 3        each writes its part and its step,
 *	  ▼          ▼          ▼          ✗           and beats while it waits
 *	┌────────────────────────────────────┐
 *	│ part 0  │ part 1   │ part 2 │      │  rank 0 waits for all members; whoever neither arrived
 *	└────────────────────────────────────┘  nor beat for the time-out is dropped for good
 *	          sum, members, step ──────────► all go on with the same sum and the same members
 *
 * Rank 0 alone decides who is a member, so that all ranks sum the same. There is no lock: a process
 * killed at any instant leaves nothing held. A rank that finds itself dropped, or finds rank 0
 * silent, gives up.
 */
struct reduce;

enum { REDUCE_RANKS_MAX = 32 };

enum reduce_result {
	REDUCE_OK,
	REDUCE_DROPPED, /* rank 0 went on without us */
	REDUCE_ALONE,   /* rank 0 is gone */
};

/* Before fork(); NULL when there is no memory. Unmapped at exit. */
struct reduce *reduce_new(int ranks, int timeout_ms);

/* Bit r: rank r takes part. The same in all ranks between two steps. */
uint32_t reduce_members(const struct reduce *r);

/* Rank 0: this step is the last one; called before reduce_sum() of the step. */
void reduce_end_at(struct reduce *r, int64_t step);
/* After reduce_sum(): the same answer in all ranks. */
bool reduce_ends(const struct reduce *r, int64_t step);

/*
 * Every member calls this once per step, which counts from 1. On return `gradient` and `sums` hold
 * the totals over all members that arrived.
 */
enum reduce_result reduce_sum(struct reduce *r, int rank, int64_t step,
			      float gradient[MODEL_WEIGHTS], struct model_sums *sums);

#endif
