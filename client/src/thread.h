#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/*
 * Starts a background thread of a run, inside the fork gate. Signals are blocked in it, so that the host program's
 * handlers never run there; but not those of a fault, which a crash handler of the host should see. 0 or an errno value.
 */
int thread_start(void *(*main)(void *), void *argument);

/* The same for a thread that the caller joins; it passes the fork gate by itself. */
int thread_start_joinable(pthread_t *ret_thread, void *(*main)(void *), void *argument);

#endif
