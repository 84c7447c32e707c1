#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What waits for a worker, in two lanes. Some workers take only what writes, so reads that last as long
 * as they may never stop writers; the others take whatever came first. Each lane is first in, first
 * out, and has a limit of its own.
 *
 * Reads may have an owner: any pointer, NULL for none. Of one owner only so many are taken at a time. The rest waits, and
 * what is behind it is taken.
 */
enum work_lane { WORK_READS, WORK_WRITES, WORK_LANES };
enum work_taker { TAKES_ANY, TAKES_WRITES };

struct work_queue;

struct work_queue *work_queue_new(size_t lane_limit);
void work_queue_free(struct work_queue *q);

/* Before the first push: `takers` at most take at a time, of one owner `most`; SIZE_MAX: no limit. */
void work_queue_limit_owner(struct work_queue *q, size_t takers, size_t most);

/* False when the lane is full or the queue closed; nothing was added then. */
bool work_queue_push(struct work_queue *q, enum work_lane lane, void *item, const void *owner)
	__attribute__((warn_unused_result));

/* Before a taker's first pop: waits until there is something, and all others that wait were woken for what came. */
void work_queue_stand_by(struct work_queue *q, enum work_taker taker);
/*
 * Waits; of those that wait the last one that came is served first. NULL when the queue is closed and holds nothing for
 * this taker. *ret_owner is whose it is.
 */
void *work_queue_pop(struct work_queue *q, enum work_taker taker, const void **ret_owner);
/* What was taken of the owner is done. NULL: nothing happens. */
void work_queue_done(struct work_queue *q, const void *owner);

/* No more pushes; those who wait in pop get what is left, then NULL. */
void work_queue_close(struct work_queue *q);
size_t work_queue_length(struct work_queue *q, enum work_lane lane);
/* How many wait in pop. */
size_t work_queue_sleeping(struct work_queue *q, enum work_taker taker);

#endif
