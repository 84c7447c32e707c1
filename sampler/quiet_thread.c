/* quiet_thread.c - see quiet_thread.h. */
#include "quiet_thread.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define STACK_MIN_BYTES (1024 * 1024) /* address space, not memory; drivers want some */

/* The program's own size where that is larger: its thread-local variables take their room from it. */
static void set_stack(pthread_attr_t *attributes)
{
	size_t size = 0;

	if (pthread_attr_getstacksize(attributes, &size) != 0 || size < STACK_MIN_BYTES)
		pthread_attr_setstacksize(attributes, STACK_MIN_BYTES);
}

int quiet_thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *context)
{
	pthread_attr_t attributes;
	sigset_t all, before;

	int e = pthread_attr_init(&attributes);
	if (e)
		return e;
	set_stack(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(ret_thread, &attributes, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (!e)
		pthread_setname_np(*ret_thread, name);
	return e;
}

int quiet_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	int e = pthread_condattr_init(&attributes);
	if (e)
		return e;
	e = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (!e)
		e = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return e;
}
