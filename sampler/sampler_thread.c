/*
 * sampler_thread.c - the one thread that takes rows on time and hands them to the callback.
 *
 * No lock is held while a row is taken or handed over, so the process may fork at any moment.
 */
#include <errno.h>
#include <unistd.h>

#include "quiet_thread.h"
#include "sampler_state.h"
#include "schedule.h"

#define LAST_WAIT_MS 50

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

static void deliver(struct sampler *sampler, unsigned wait_ms)
{
	sampler_take(sampler, wait_ms, &sampler->row);
	sampler->callback(sampler->callback_context, &sampler->row);
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
	return NULL;
}

int sampler_start(struct sampler *sampler, sampler_callback *callback, void *context)
{
	if (!callback)
		return EINVAL;
	if (atomic_exchange(&sampler->is_running, true))
		return EBUSY;
	sampler->stop = false;
	sampler->callback = callback;
	sampler->callback_context = context;
	int e = quiet_thread_start(&sampler->thread, "cairn-sampler", run_thread, sampler);
	if (e)
		atomic_store(&sampler->is_running, false);
	return e;
}

void sampler_stop(struct sampler *sampler)
{
	if (sampler->owner != getpid() || !atomic_load(&sampler->is_running))
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->stop = true;
	pthread_cond_broadcast(&sampler->changed);
	pthread_mutex_unlock(&sampler->lock);
	pthread_join(sampler->thread, NULL);
	atomic_store(&sampler->is_running, false);
}
