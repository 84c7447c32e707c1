#ifndef FORK_GATE_H
#define FORK_GATE_H

#include <stdbool.h>

/*
 * Keeps fork() from happening in the middle of something. A child has only the thread that forked:
 * a lock that another thread held at that moment (the allocator's, libcurl's, that of TLS) is held
 * forever there. So a thread that works for the library passes this gate, leaves it before waiting, and
 * fork() waits until no thread is inside: for the time of a computation, never for the network.
 *
 *	thread of ours   born -> inside -> waits outside -> inside -> ... -> inside -> ended
 *	thread of the host                  inside, for as long as it makes or frees a connection
 *
 * A thread is inside from before its birth, and fork() waits for its death too: both run code that
 * is not ours (allocators, TLS and sanitizers keep things for each thread) and takes locks.
 *
 * NEEDSWORK: libcurl looks up names in a thread of its own, which does not pass here. The C library
 * has locks for microseconds of it; to wait for them would be to wait for the name server.
 *
 * No wait is without limit: a child that cannot log is better than a program that hangs.
 */

/* From here to there this thread must not be cut off. They nest. */
void fork_gate_enter(void);
void fork_gate_leave(void);

/* For a wait: leaves the gate altogether. Hand the answer to fork_gate_resume() afterwards. */
unsigned fork_gate_pause(void);
void fork_gate_resume(unsigned depth);

/*
 * A thread's life. expect: one is about to be created, joinable; it counts as inside. It begins with
 * begin, and its last call is end, after which it is joined by whoever comes next. forget: it could
 * not be created.
 */
void fork_gate_expect_thread(void);
void fork_gate_forget_thread(void);
void fork_gate_begin_thread(void);
void fork_gate_end_thread(void);

/* For the handlers of fork() and exit(): waits until nobody is inside, and lets nobody in; the end of
 * that in the parent and in the child. */
void fork_gate_close(int limit_ms);
void fork_gate_open(void);
void fork_gate_renew(void);

#endif
