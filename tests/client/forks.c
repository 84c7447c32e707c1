/*
 * fork() at moments that chance seldom finds: while a thread of libcairn begins or ends, and while the
 * host's own thread makes or frees a connection. At each of them that thread is made to hold a lock,
 * as an allocator or a TLS library would, until fork() has been called. In the child nobody is left
 * to release it, so it must be free there. The linker puts the functions below in front of those that
 * the library calls (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "artifact_link.h"
#include "cairn.h"
#include "fork_gate.h"

int __real_pthread_setname_np(pthread_t thread, const char *name);
CURL *__real_curl_easy_init(void);
void __real_curl_easy_cleanup(CURL *easy);
int __wrap_pthread_setname_np(pthread_t thread, const char *name);
CURL *__wrap_curl_easy_init(void);
void __wrap_curl_easy_cleanup(CURL *easy);

#define HELD_S 0.05 /* a hundredth of what fork() waits at the most */

enum moment { NEVER, THREAD_BEGINS, THREAD_ENDS, CONNECTION_IS_MADE, CONNECTION_IS_FREED };

static _Atomic enum moment moment;
static pthread_mutex_t somebodys_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static atomic_bool is_held, is_forking, has_ended;

static void note_fork(void)
{
	atomic_store(&is_forking, true);
}

static void wait_for(atomic_bool *flag)
{
	while (!atomic_load(flag))
		sched_yield();
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Goes on for a while after fork() was called, so that one that does not wait is found out. */
static void hold(void)
{
	pthread_mutex_lock(&somebodys_lock);
	atomic_store(&is_held, true);
	wait_for(&is_forking);
	for (double until = now_s() + HELD_S; now_s() < until;)
		sched_yield();
	pthread_mutex_unlock(&somebodys_lock);
}

static void hold_at(enum moment now)
{
	enum moment wanted = now;

	if (atomic_compare_exchange_strong(&moment, &wanted, NEVER))
		hold();
}

static void thread_ends(void *unused)
{
	(void)unused;
	hold_at(THREAD_ENDS);
	atomic_store(&has_ended, true);
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name)
{
	pthread_setspecific(key, &key);
	hold_at(THREAD_BEGINS);
	return __real_pthread_setname_np(thread, name);
}

CURL *__wrap_curl_easy_init(void)
{
	hold_at(CONNECTION_IS_MADE);
	return __real_curl_easy_init();
}

void __wrap_curl_easy_cleanup(CURL *easy)
{
	hold_at(CONNECTION_IS_FREED);
	__real_curl_easy_cleanup(easy);
}

/* A run from its start to its end, to a server that is not there. The host frees it, for the library's
 * thread has let go by then. */
static void *live(void *unused)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct cairn_run *run;

	(void)unused;
	atomic_store(&has_ended, false);
	options.url = "http://127.0.0.1:1";
	options.api_key = "key";
	options.project = "e/p";
	options.sample_interval_s = 0;
	if (cairn_run_start(&options, &run) != CAIRN_OK)
		abort();
	cairn_finish(run, 0, 1, NULL);
	wait_for(&has_ended);
	cairn_run_free(run);
	return NULL;
}

static enum artifact_outcome do_nothing(struct artifact_link *link, struct transport *transport,
					void *context, size_t number)
{
	(void)link;
	(void)transport;
	(void)context;
	(void)number;
	return ARTIFACT_DONE;
}

/* What cairn_log_artifact() does in threads of its own. */
static void *work(void *unused)
{
	char url[] = "http://127.0.0.1:1";
	struct settings settings = { .url = url };
	struct artifact_link link;

	(void)unused;
	atomic_store(&has_ended, false);
	artifact_link_init(&link, &settings, "e", "p");
	if (artifact_work(&link, do_nothing, NULL, 1) != ARTIFACT_DONE)
		abort();
	artifact_link_deinit(&link);
	wait_for(&has_ended);
	return NULL;
}

/* 0 when the lock is free in the child. */
static int fork_and_look(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(pthread_mutex_trylock(&somebodys_lock) != 0);
	waitpid(pid, &status, 0);
	return status;
}

static void fork_at(enum moment when, void *(*host_work)(void *))
{
	pthread_t host;
	int status;

	atomic_store(&is_held, false);
	atomic_store(&is_forking, false);
	atomic_store(&moment, when);
	assert_int_equal(pthread_create(&host, NULL, host_work, NULL), 0);
	wait_for(&is_held);
	status = fork_and_look();
	pthread_join(host, NULL);
	assert_int_equal(status, 0);
}

static void fork_waits_for_a_thread_that_begins(void **state)
{
	(void)state;
	fork_at(THREAD_BEGINS, live);
	fork_at(THREAD_BEGINS, work);
}

static void fork_waits_for_a_thread_that_ends(void **state)
{
	(void)state;
	fork_at(THREAD_ENDS, live);
	fork_at(THREAD_ENDS, work);
}

static void fork_waits_for_a_connection_to_be_made(void **state)
{
	(void)state;
	fork_at(CONNECTION_IS_MADE, live);
	fork_at(CONNECTION_IS_MADE, work);
}

static void fork_waits_for_a_connection_to_be_freed(void **state)
{
	(void)state;
	fork_at(CONNECTION_IS_FREED, live);
	fork_at(CONNECTION_IS_FREED, work);
}

static void *stay_inside(void *is_over)
{
	fork_gate_enter();
	atomic_store(&is_held, true);
	wait_for(is_over);
	fork_gate_leave();
	return NULL;
}

static void fork_does_not_wait_for_ever(void **state)
{
	atomic_bool is_over = false;
	pthread_t stuck;
	int status;

	(void)state;
	atomic_store(&is_held, false);
	assert_int_equal(pthread_create(&stuck, NULL, stay_inside, &is_over), 0);
	wait_for(&is_held);
	status = fork_and_look();
	atomic_store(&is_over, true);
	pthread_join(stuck, NULL);
	assert_int_equal(status, 0);
}

/* A child's child starts as a child does: nothing of its parents' runs is in its way. */
static void a_child_forks(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	live(NULL);
	pid = fork();
	if (pid == 0) {
		live(NULL);
		status = fork_and_look();
		live(NULL);
		_exit(status != 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

/* fork() calls the handlers that came last first: ours must come before the library's. */
static int prepare(void **state)
{
	(void)state;
	setenv("CAIRN_SPOOL", "off", 1); /* one thread of the library is enough */
	if (pthread_key_create(&key, thread_ends) != 0)
		return -1;
	live(NULL);
	return pthread_atfork(note_fork, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_waits_for_a_thread_that_begins),
		cmocka_unit_test(fork_waits_for_a_thread_that_ends),
		cmocka_unit_test(fork_waits_for_a_connection_to_be_made),
		cmocka_unit_test(fork_waits_for_a_connection_to_be_freed),
		cmocka_unit_test(fork_does_not_wait_for_ever),
		cmocka_unit_test(a_child_forks),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
