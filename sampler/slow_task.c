/* slow_task.c - see slow_task.h. */
#include "slow_task.h"

#include <pthread.h>
#include <stdlib.h>

#include "monotonic.h"
#include "quiet_thread.h"

#define FREE_WAIT_NS (50 * NS_PER_MS)

struct slow_task {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread;
	bool busy;
	bool stop;     /* the thread ends; the owner joins it */
	bool orphaned; /* the thread ends and frees the task */
	void (*run)(void *state);
	void (*free_state)(void *state);
	void *state;
};

struct slow_task *slow_task_new(void (*run)(void *state), void (*free_state)(void *state),
				void *state)
{
	struct slow_task *task = calloc(1, sizeof *task);

	if (!task)
		return NULL;
	if (quiet_condition_init(&task->changed) != 0) {
		free(task);
		return NULL;
	}
	pthread_mutex_init(&task->lock, NULL);
	task->run = run;
	task->free_state = free_state;
	task->state = state;
	return task;
}

static void destroy(struct slow_task *task)
{
	task->free_state(task->state);
	pthread_cond_destroy(&task->changed);
	pthread_mutex_destroy(&task->lock);
	free(task);
}

static void *run_thread(void *context)
{
	struct slow_task *task = context;

	pthread_mutex_lock(&task->lock);
	while (!task->stop && !task->orphaned) {
		if (!task->busy) {
			pthread_cond_wait(&task->changed, &task->lock);
			continue;
		}
		pthread_mutex_unlock(&task->lock);
		task->run(task->state);
		pthread_mutex_lock(&task->lock);
		task->busy = false;
		pthread_cond_broadcast(&task->changed);
	}
	bool orphaned = task->orphaned;
	pthread_mutex_unlock(&task->lock);
	if (orphaned)
		destroy(task);
	return NULL;
}

bool slow_task_enter(struct slow_task *task, uint64_t deadline_ns)
{
	struct timespec deadline = monotonic_timespec(deadline_ns);
	int e = 0;

	pthread_mutex_lock(&task->lock);
	while (task->busy && e == 0)
		e = pthread_cond_timedwait(&task->changed, &task->lock, &deadline);
	if (!task->busy)
		return true;
	pthread_mutex_unlock(&task->lock);
	return false;
}

/* Without a thread the work is not done, and tried again at the next turn. */
void slow_task_leave(struct slow_task *task, enum slow_task_next next)
{
	if (next == SLOW_TASK_RUN && !task->has_thread)
		task->has_thread =
			quiet_thread_start(&task->thread, "cairn-slow", run_thread, task) == 0;
	if (next == SLOW_TASK_RUN && task->has_thread) {
		task->busy = true;
		pthread_cond_broadcast(&task->changed);
	}
	pthread_mutex_unlock(&task->lock);
}

void slow_task_free(struct slow_task *task)
{
	if (!task)
		return;
	bool idle = slow_task_enter(task, monotonic_ns() + FREE_WAIT_NS);
	if (!idle) {
		pthread_mutex_lock(&task->lock);
		idle = !task->busy;
	}
	if (!task->has_thread) {
		pthread_mutex_unlock(&task->lock);
		destroy(task);
		return;
	}
	pthread_t thread = task->thread;
	task->stop = idle;
	task->orphaned = !idle;
	pthread_cond_broadcast(&task->changed);
	if (!idle)
		pthread_detach(thread);
	pthread_mutex_unlock(&task->lock);
	if (idle) {
		pthread_join(thread, NULL);
		destroy(task);
	}
}
