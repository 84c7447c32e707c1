#ifndef FORK_GATE_H
#define FORK_GATE_H

#include <stdbool.h>

/*
 * Keeps fork() from happening in the middle of something. A child has only the thread that forked:
 * a lock that another thread held at that moment (the allocator's, libcurl's, that of TLS or of
 * name lookups) is held for ever there. So the background threads pass this gate before they work
 * and leave it before they wait, and fork() waits until none is inside: for the time of a
 * computation, never for the network.
 */

/* For a background thread: works from here on, and waits from there on. */
void fork_gate_enter(void);
void fork_gate_leave(void);

/* For code that any thread may run: leaves the gate for a wait, if this thread is inside. Hand
 * the answer to fork_gate_resume() afterwards. */
bool fork_gate_pause(void);
void fork_gate_resume(bool was_inside);

/* For the handlers of fork(): waits until nobody is inside and lets nobody in; the end of that in
 * the parent and in the child. */
void fork_gate_close(void);
void fork_gate_open(void);
void fork_gate_renew(void);

#endif
