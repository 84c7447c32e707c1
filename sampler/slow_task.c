/* slow_task.c - see slow_task.h. */
#include "slow_task.h"

#include <pthread.h>
#include <stdlib.h>

#include "monotonic.h"
#include "quiet_thread.h"

#define FREE_WAIT_NS (100 * NS_PER_MS)

struct slow_task {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool has_thread;
	bool busy;
	bool is_ending; /* the thread frees the state, then ends */
	uint64_t end_deadline_ns;
	bool has_ended;    /* the state is gone, and the thread as good as gone */
	bool is_abandoned; /* the owner did not wait: what is left is the thread's */
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
	pthread_cond_destroy(&task->changed);
	pthread_mutex_destroy(&task->lock);
	free(task);
}

static void run_until_end(struct slow_task *task)
{
	pthread_mutex_lock(&task->lock);
	while (!task->is_ending) {
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
	pthread_mutex_unlock(&task->lock);
}

/* Freeing the state can hang as well as the work: a driver is shut down by it. */
static void *run_thread(void *context)
{
	struct slow_task *task = context;

	run_until_end(task);
	task->free_state(task->state);
	pthread_mutex_lock(&task->lock);
	task->has_ended = true;
	bool is_abandoned = task->is_abandoned;
	pthread_cond_broadcast(&task->changed);
	pthread_mutex_unlock(&task->lock);
	if (is_abandoned)
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

void slow_task_end(struct slow_task *task, uint64_t deadline_ns)
{
	pthread_mutex_lock(&task->lock);
	if (!task->is_ending) {
		task->is_ending = true;
		task->end_deadline_ns = deadline_ns;
		pthread_cond_broadcast(&task->changed);
	}
	pthread_mutex_unlock(&task->lock);
}

/* False when the thread was left alone with the task. */
static bool wait_for_end(struct slow_task *task)
{
	struct timespec deadline = monotonic_timespec(task->end_deadline_ns);
	int e = 0;

	pthread_mutex_lock(&task->lock);
	while (!task->has_ended && e == 0)
		e = pthread_cond_timedwait(&task->changed, &task->lock, &deadline);
	bool has_ended = task->has_ended;
	task->is_abandoned = !has_ended;
	pthread_mutex_unlock(&task->lock);
	return has_ended;
}

void slow_task_free(struct slow_task *task)
{
	if (!task)
		return;
	if (!task->has_thread) {
		task->free_state(task->state);
		destroy(task);
		return;
	}
	slow_task_end(task, monotonic_ns() + FREE_WAIT_NS);
	pthread_t thread = task->thread;
	if (wait_for_end(task)) {
		pthread_join(thread, NULL);
		destroy(task);
	} else {
		pthread_detach(thread);
	}
}
