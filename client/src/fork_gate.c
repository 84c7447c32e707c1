/*
 * A count of those inside, under a lock that fork() keeps from its first handler to its last. It
 * concerns the process as a whole, as fork() does, so it is part of no run. Rejected: a lock of
 * readers and writers, in which a thread cannot be inside before it runs.
 */
#include "fork_gate.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned inside; /* threads, born or not */
static unsigned forks;  /* that wait or are under way: nobody enters */
static bool has_ended;  /* a thread that is still to be joined: */
static pthread_t ended; /* it joined the one before it */
static __thread unsigned depth;

/* The lock is held. */
static void add_one(void)
{
	while (forks > 0)
		pthread_cond_wait(&changed, &lock);
	inside++;
}

static void remove_one(void)
{
	inside--;
	pthread_cond_broadcast(&changed);
}

void fork_gate_enter(void)
{
	if (depth++ > 0)
		return;
	pthread_mutex_lock(&lock);
	add_one();
	pthread_mutex_unlock(&lock);
}

void fork_gate_leave(void)
{
	if (--depth > 0)
		return;
	pthread_mutex_lock(&lock);
	remove_one();
	pthread_mutex_unlock(&lock);
}

unsigned fork_gate_pause(void)
{
	unsigned before = depth;

	if (before == 0)
		return 0;
	depth = 1;
	fork_gate_leave();
	return before;
}

void fork_gate_resume(unsigned before)
{
	if (before == 0)
		return;
	fork_gate_enter();
	depth = before;
}

/* A thread that is inside must not wait here for a fork() that waits for it. */
void fork_gate_expect_thread(void)
{
	pthread_mutex_lock(&lock);
	if (depth > 0)
		inside++;
	else
		add_one();
	pthread_mutex_unlock(&lock);
}

void fork_gate_forget_thread(void)
{
	pthread_mutex_lock(&lock);
	remove_one();
	pthread_mutex_unlock(&lock);
}

void fork_gate_begin_thread(void)
{
	depth = 1;
}

void fork_gate_end_thread(void)
{
	pthread_t before;
	bool has_before;

	depth = 0;
	pthread_mutex_lock(&lock);
	before = ended;
	has_before = has_ended;
	ended = pthread_self();
	has_ended = true;
	remove_one();
	pthread_mutex_unlock(&lock);
	if (has_before)
		pthread_join(before, NULL);
}

static struct timespec after(clockid_t clock, int ms)
{
	struct timespec at;

	clock_gettime(clock, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

void fork_gate_close(int limit_ms)
{
	struct timespec limit = after(CLOCK_MONOTONIC, limit_ms), limit_of_join;

	if (depth > 0) /* this thread would wait for itself */
		return;
	pthread_mutex_lock(&lock);
	forks++;
	while (inside > 0 && pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &limit) == 0)
		;
	limit_of_join = after(CLOCK_REALTIME, limit_ms);
	if (has_ended && pthread_timedjoin_np(ended, NULL, &limit_of_join) == 0)
		has_ended = false;
}

void fork_gate_open(void)
{
	if (depth > 0)
		return;
	forks--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* The condition remembers threads that waited, and the child has none of them: it takes a new one. So
 * it does for the lock, where that is not its own. */
void fork_gate_renew(void)
{
	changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	inside = depth > 0;
	forks = 0;
	has_ended = false;
	if (depth > 0)
		lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	else
		pthread_mutex_unlock(&lock);
}
