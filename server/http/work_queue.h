#ifndef WORK_QUEUE_H
#define WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Items that wait for a worker, of two classes. Some workers take only writes, so reads never stop
 * writers, however long they take; the others take whatever came first. Each class is first in,
 * first out, and has a limit of its own.
 *
 * Reads may have an owner: any pointer, NULL for none. Only so many of one owner are taken at a
 * time. The rest waits, and items after it are taken.
 */
enum work_class { WORK_READS, WORK_WRITES, WORK_CLASSES };
enum work_taker { TAKES_ANY, TAKES_WRITES };

struct work_queue;

struct work_queue *work_queue_new(size_t class_limit);
void work_queue_free(struct work_queue *q);

/*
 * Before the first push: at most `takers` takers at a time, and `most`
 * items of one owner; SIZE_MAX: no limit.
 */
void work_queue_limit_owner(struct work_queue *q, size_t takers, size_t most);

/* False when the class is full or the queue closed; nothing was added then. */
bool work_queue_push(struct work_queue *q, enum work_class class, void *item, const void *owner)
	__attribute__((warn_unused_result));

/*
 * Before a taker's first pop: waits until there is an item, and all other
 * waiting takers were woken.
 */
void work_queue_stand_by(struct work_queue *q, enum work_taker taker);
/*
 * Waits; the last of the waiting takers is served first. NULL if the queue is closed and has
 * nothing for this taker. *ret_owner is the item's owner.
 */
void *work_queue_pop(struct work_queue *q, enum work_taker taker, const void **ret_owner);
/* An item taken for the owner is done. NULL: nothing happens. */
void work_queue_done(struct work_queue *q, const void *owner);

/* No more pushes; workers that wait in pop get what is left, then NULL. */
void work_queue_close(struct work_queue *q);
size_t work_queue_length(struct work_queue *q, enum work_class class);
/* How many wait in pop. */
size_t work_queue_sleeping(struct work_queue *q, enum work_taker taker);

#endif
