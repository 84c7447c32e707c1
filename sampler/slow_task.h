/*
 * slow_task.h - work that may hang, done in a thread of its own.
 *
 * The work and its owner share one state, and take turns:
 *
 *     owner:   enter (waits until idle, up to a deadline) ... read results, write inputs ...
 *              leave(SLOW_TASK_RUN) --> the thread runs the work; enter fails until it is done
 *
 * The state is freed by the thread, too, since that may hang as well. When the owner frees a task
 * that is stuck in either, the thread keeps what is left and frees it when it comes free, if ever.
 * The thread starts with the first run; without one nothing can be stuck.
 */
#ifndef CAIRN_SAMPLER_SLOW_TASK_H
#define CAIRN_SAMPLER_SLOW_TASK_H

#include <stdbool.h>
#include <stdint.h>

struct slow_task;

enum slow_task_next { SLOW_TASK_REST, SLOW_TASK_RUN };

/* `state` belongs to the task from now on: `free_state` ends it. NULL without memory; then the
 * state is still the caller's. */
struct slow_task *slow_task_new(void (*run)(void *state), void (*free_state)(void *state),
				void *state);

/* True when the work rests; then the state is the caller's until slow_task_leave. */
bool slow_task_enter(struct slow_task *task, uint64_t deadline_ns);
void slow_task_leave(struct slow_task *task, enum slow_task_next next);

/* Asks the thread to end after the work that runs, and waits for nothing: several tasks can be asked
 * before the first is freed. Only slow_task_free may follow. */
void slow_task_end(struct slow_task *task, uint64_t deadline_ns);

/* Waits for the end until the deadline of slow_task_end, else for 100 ms. Accepts NULL. */
void slow_task_free(struct slow_task *task);

#endif
