#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bounded queue of pointers between threads, first in first out. */
struct queue;

struct queue *queue_new(size_t limit);
void queue_free(struct queue *q);

/* False when the queue is full or closed; nothing was added then. */
bool queue_push(struct queue *q, void *item) __attribute__((warn_unused_result));

/* Waits; NULL when the queue is closed and empty. */
void *queue_pop(struct queue *q);

/* Up to `max` items at once; waits at most until the monotonic time given. Returns how many. */
size_t queue_pop_many(struct queue *q, void **items, size_t max, int64_t until_mono_us);

/* How many wait in it now. */
size_t queue_length(struct queue *q);

/* No more pushes; those who wait in pop get what is left, then NULL. */
void queue_close(struct queue *q);

#endif
