#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What waits for a worker, in two lanes. Some workers take only what writes, so reads that last as long
 * as they may never stop writers; the others take whatever came first. Each lane is first in, first
 * out, and has a limit of its own.
 */
enum work_lane { WORK_READS, WORK_WRITES, WORK_LANES };
enum work_taker { TAKES_ANY, TAKES_WRITES };

struct work_queue;

struct work_queue *work_queue_new(size_t lane_limit);
void work_queue_free(struct work_queue *q);

/* False when the lane is full or the queue closed; nothing was added then. */
bool work_queue_push(struct work_queue *q, enum work_lane lane, void *item)
	__attribute__((warn_unused_result));

/* Waits; NULL when the queue is closed and holds nothing for this taker. */
void *work_queue_pop(struct work_queue *q, enum work_taker taker);

/* No more pushes; those who wait in pop get what is left, then NULL. */
void work_queue_close(struct work_queue *q);
size_t work_queue_length(struct work_queue *q, enum work_lane lane);

#endif
