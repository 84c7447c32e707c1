/* quiet_thread.h - a thread that takes none of the process's signals. */
#ifndef CAIRN_SAMPLER_QUIET_THREAD_H
#define CAIRN_SAMPLER_QUIET_THREAD_H

#include <pthread.h>

/* 0 or an errno value. `name` is at most 15 characters. */
int quiet_thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *),
		       void *context);

/* A condition that waits on the monotonic clock. 0 or an errno value. */
int quiet_condition_init(pthread_cond_t *condition);

#endif
