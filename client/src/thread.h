#ifndef THREAD_H
#define THREAD_H

/*
 * Starts a background thread of a run, inside the fork gate. Signals are blocked in it, so that the host program's
 * handlers never run there; but not those of a fault, which a crash handler of the host should see. 0 or an errno value.
 */
int thread_start(void *(*main)(void *), void *argument);

#endif
