#include "registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fork_gate.h"
#include "run.h"

#define SETTLE_MS 500     /* at exit, for senders to leave the network and TLS alone */
#define FORK_WAIT_MS 5000 /* at the most; computations between two waits take milliseconds */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_run *runs;
static struct cairn_run *parents_runs; /* in a child; kept only so that they stay reachable */
static atomic_uint generation;

unsigned registry_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

static void before_fork(void)
{
	fork_gate_close(FORK_WAIT_MS); /* first: who is inside may want the lock */
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
	fork_gate_open();
}

static void after_fork_in_child(void)
{
	atomic_fetch_add(&generation, 1);
	if (runs)
		parents_runs = runs;
	runs = NULL;
	pthread_mutex_unlock(&lock);
	fork_gate_renew();
}

/* A reference to each run, so that none goes while we look; at most `max`. */
static int hold_runs(struct cairn_run **held, int max)
{
	int count = 0;

	pthread_mutex_lock(&lock);
	for (struct cairn_run *run = runs; run && count < max; run = run->next) {
		int references = atomic_load(&run->references);

		while (references > 0 &&
		       !atomic_compare_exchange_weak(&run->references, &references, references + 1))
			;
		if (references > 0)
			held[count++] = run;
	}
	pthread_mutex_unlock(&lock);
	return count;
}

static bool is_over(struct cairn_run *run, int64_t deadline_us)
{
	bool over;

	pthread_mutex_lock(&run->lock);
	while (run->settings.mode != MODE_DISABLED && run->phase != RUN_OVER &&
	       run_wait_changed(run, deadline_us))
		;
	over = run->phase == RUN_OVER;
	pthread_mutex_unlock(&run->lock);
	return over;
}

/* Ends what the program left open, all runs at the same time, each within its time; of the status
 * those bits count that the parent process is told. Only 64 runs
 * are looked at: a program that leaves more of them open has other troubles. */
static void at_exit(int status, void *unused)
{
	struct cairn_run *held[64];
	int count = hold_runs(held, 64);
	int64_t now_us = transport_clock_us();

	(void)unused;
	for (int i = 0; i < count; i++) {
		int64_t limit_us = (int64_t)held[i]->settings.exit_timeout_ms * 1000;

		if (held[i]->settings.mode != MODE_DISABLED)
			run_begin_finish(held[i], status & 0xff, now_us + limit_us);
	}
	for (int i = 0; i < count; i++) {
		if (held[i]->settings.mode != MODE_DISABLED)
			run_wait_finish(held[i]);
	}
	now_us = transport_clock_us();
	for (int i = 0; i < count; i++)
		is_over(held[i], now_us + SETTLE_MS * 1000);
	for (int i = 0; i < count; i++)
		run_release(held[i]);
	fork_gate_close(SETTLE_MS);
	fork_gate_open();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void registry_prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

static void watch_exit(void)
{
	on_exit(at_exit, NULL);
}

void registry_add(struct cairn_run *run)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_exit); /* after that of TLS, so that it comes before it */
	pthread_mutex_lock(&lock);
	run->generation = registry_generation();
	run->previous = NULL;
	run->next = runs;
	if (runs)
		runs->previous = run;
	runs = run;
	pthread_mutex_unlock(&lock);
}

void registry_remove(struct cairn_run *run)
{
	pthread_mutex_lock(&lock);
	if (run->previous)
		run->previous->next = run->next;
	else if (runs == run)
		runs = run->next;
	if (run->next)
		run->next->previous = run->previous;
	pthread_mutex_unlock(&lock);
}
