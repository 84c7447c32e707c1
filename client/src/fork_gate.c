/*
 * A lock of readers and writers: background threads read, fork() writes, and goes before readers
 * that come later. It concerns the process as a whole, as fork() does, so it is part of no run.
 */
#include "fork_gate.h"

#include <pthread.h>

#define GATE_OPEN PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP

static pthread_rwlock_t gate = GATE_OPEN;
static __thread bool is_inside;

void fork_gate_enter(void)
{
	pthread_rwlock_rdlock(&gate);
	is_inside = true;
}

void fork_gate_leave(void)
{
	is_inside = false;
	pthread_rwlock_unlock(&gate);
}

bool fork_gate_pause(void)
{
	bool was_inside = is_inside;

	if (was_inside)
		fork_gate_leave();
	return was_inside;
}

void fork_gate_resume(bool was_inside)
{
	if (was_inside)
		fork_gate_enter();
}

void fork_gate_close(void)
{
	if (!is_inside) /* else this thread would wait for itself */
		pthread_rwlock_wrlock(&gate);
}

void fork_gate_open(void)
{
	if (!is_inside)
		pthread_rwlock_unlock(&gate);
}

/* The lock remembers threads that waited for it; the child has none of them, so it takes a new one. */
void fork_gate_renew(void)
{
	gate = (pthread_rwlock_t)GATE_OPEN;
	is_inside = false;
}
