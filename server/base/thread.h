#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread with a name (at most 15 bytes are kept) that `top -H`, `ps -L` and a debugger show,
 * so that an operator sees which part of the server is busy. False: the system gives no more threads.
 */
bool thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *arg);

#endif
