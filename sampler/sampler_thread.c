/*
 * sampler_thread.c - the one thread that takes rows on time and hands them to the callback.
 *
 * No lock is held while a row is taken or handed over, so the process may fork at any moment.
 *
 * Files of /proc can hang, too, where a container gets them from a daemon (lxcfs). Then the thread
 * is abandoned at the stop: it calls back no more, and frees the sampler if that was wanted.
 */
#include <errno.h>
#include <unistd.h>

#include "quiet_thread.h"
#include "sampler_state.h"
#include "schedule.h"

#define LAST_WAIT_MS 50
#define STOP_WAIT_NS (2 * NS_PER_S)

/* True when it is time for a row, false when the thread shall end. */
static bool wait_until(struct sampler *sampler, uint64_t time_ns)
{
	struct timespec time = monotonic_timespec(time_ns);
	int e = 0;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->stop && e == 0)
		e = pthread_cond_timedwait(&sampler->changed, &sampler->lock, &time);
	bool stop = sampler->stop;
	pthread_mutex_unlock(&sampler->lock);
	return !stop;
}

/* False when the owner no longer waits: what the callback works on may be gone. */
static bool begin_callback(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->in_callback = !sampler->is_abandoned;
	bool is_wanted = sampler->in_callback;
	pthread_mutex_unlock(&sampler->lock);
	return is_wanted;
}

static void end_callback(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->in_callback = false;
	pthread_cond_broadcast(&sampler->changed);
	pthread_mutex_unlock(&sampler->lock);
}

static void deliver(struct sampler *sampler, unsigned wait_ms)
{
	sampler_take(sampler, wait_ms, &sampler->row);
	if (!begin_callback(sampler))
		return;
	sampler->callback(sampler->callback_context, &sampler->row);
	end_callback(sampler);
}

static void *run_thread(void *context)
{
	struct sampler *sampler = context;
	struct schedule schedule = {
		.start_ns = monotonic_ns(),
		.interval_ns = sampler->settings.interval_ms * NS_PER_MS,
	};

	while (wait_until(sampler, schedule_next(&schedule, monotonic_ns())))
		deliver(sampler, settings_wait_ms(&sampler->settings));
	deliver(sampler, LAST_WAIT_MS);
	pthread_mutex_lock(&sampler->lock);
	sampler->has_ended = true;
	bool is_orphaned = sampler->is_orphaned;
	pthread_cond_broadcast(&sampler->changed);
	pthread_mutex_unlock(&sampler->lock);
	if (is_orphaned)
		sampler_destroy(sampler);
	return NULL;
}

int sampler_start(struct sampler *sampler, sampler_callback *callback, void *context)
{
	if (!callback)
		return EINVAL;
	if (sampler->owner != getpid() || atomic_exchange(&sampler->is_running, true))
		return EBUSY;
	sampler->stop = false;
	sampler->has_ended = false;
	sampler->callback = callback;
	sampler->callback_context = context;
	int e = quiet_thread_start(&sampler->thread, "cairn-sampler", run_thread, sampler);
	if (e)
		atomic_store(&sampler->is_running, false);
	return e;
}

/* Under the lock. A callback is waited for as long as it takes, reading is not. */
static bool wait_for_end(struct sampler *sampler)
{
	struct timespec deadline = monotonic_timespec(monotonic_ns() + STOP_WAIT_NS);
	int e = 0;

	while (!sampler->has_ended) {
		if (sampler->in_callback)
			pthread_cond_wait(&sampler->changed, &sampler->lock);
		else if (e)
			return false;
		else
			e = pthread_cond_timedwait(&sampler->changed, &sampler->lock, &deadline);
	}
	return true;
}

void sampler_stop(struct sampler *sampler)
{
	if (sampler->owner != getpid() || !atomic_load(&sampler->is_running))
		return;
	pthread_mutex_lock(&sampler->lock);
	bool was_abandoned = sampler->is_abandoned;
	sampler->stop = true;
	pthread_cond_broadcast(&sampler->changed);
	if (!was_abandoned)
		sampler->is_abandoned = !wait_for_end(sampler);
	bool is_abandoned = sampler->is_abandoned;
	pthread_mutex_unlock(&sampler->lock);
	if (!is_abandoned) {
		pthread_join(sampler->thread, NULL);
		atomic_store(&sampler->is_running, false);
	} else if (!was_abandoned) {
		pthread_detach(sampler->thread);
	}
}

bool sampler_give_away(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->is_orphaned = sampler->is_abandoned && !sampler->has_ended;
	bool is_orphaned = sampler->is_orphaned;
	pthread_mutex_unlock(&sampler->lock);
	return is_orphaned;
}
