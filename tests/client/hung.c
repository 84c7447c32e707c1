/* A file system that does not answer holds up nothing but the thread of the spool. writev() waits here as for a server
 * of files that is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn.h"
#include "run.h"

#define ROWS 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_answered;
static int waiting;

ssize_t __real_writev(int fd, const struct iovec *pieces, int count);
ssize_t __wrap_writev(int fd, const struct iovec *pieces, int count);

ssize_t __wrap_writev(int fd, const struct iovec *pieces, int count)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (!is_answered)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return __real_writev(fd, pieces, count);
}

static void wait_until_it_hangs(void)
{
	pthread_mutex_lock(&lock);
	while (waiting == 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void answer(void)
{
	pthread_mutex_lock(&lock);
	is_answered = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void log_rows(struct cairn_run *run)
{
	for (int i = 0; i < ROWS; i++)
		assert_int_equal(CAIRN_LOG(run, { "n", i }), CAIRN_OK);
}

/* It ends by itself once the disk answers. */
static void wait_for_the_thread(struct cairn_run *run)
{
	pthread_mutex_lock(&run->lock);
	while (!run->spool.is_over)
		pthread_cond_wait(&run->changed, &run->lock);
	pthread_mutex_unlock(&run->lock);
}

static void check_fork(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void callers_and_the_end_do_not_wait(void **state)
{
	struct cairn_report report;
	struct cairn_run *run;

	(void)state;
	assert_int_equal(cairn_run_start(NULL, &run), CAIRN_OK);
	log_rows(run);
	wait_until_it_hangs();
	log_rows(run);
	check_fork();
	assert_int_equal(cairn_flush(run, 10), CAIRN_TIMEOUT);
	assert_int_equal(cairn_finish(run, 0, 100, &report), CAIRN_TIMEOUT);
	assert_int_equal(report.history_unsent, 2 * ROWS);
	assert_int_equal(report.history_spooled, 0);
	answer();
	wait_for_the_thread(run);
	assert_int_equal(run->counts[RECORD_HISTORY].on_disk, 2 * ROWS);
	cairn_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(callers_and_the_end_do_not_wait) };
	char folder[] = "/tmp/cairn-hung-XXXXXX", command[64];
	int failed;

	if (!mkdtemp(folder))
		return 1;
	setenv("CAIRN_MODE", "offline", 1);
	setenv("CAIRN_SPOOL_DIR", folder, 1);
	setenv("CAIRN_SAMPLE_INTERVAL", "0", 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) || failed;
}
