#include "thread.h"

#include <pthread.h>
#include <signal.h>

#include "fork_gate.h"

static void block_signals(sigset_t *ret_before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
	sigset_t mask;

	sigfillset(&mask);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		sigdelset(&mask, faults[i]);
	pthread_sigmask(SIG_SETMASK, &mask, ret_before);
}

int thread_start(void *(*main)(void *), void *argument)
{
	sigset_t before;
	pthread_t thread;
	int e;

	block_signals(&before);
	fork_gate_expect_thread();
	e = pthread_create(&thread, NULL, main, argument);
	if (e)
		fork_gate_forget_thread();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return e;
}
