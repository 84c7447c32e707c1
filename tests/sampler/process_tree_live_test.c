/* process_tree_live_test.c - what a scan reads again of real processes, and what it leaves out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "process_tree.h"
#include "settings.h"

#define PATIENCE_S 120
#define TRIES 10 /* pids may begin again from small ones, but not so often */
#define STRANGERS 64

/* The root of the tree. It does what it is told: forks, starts a thread, waits for a child. */
static struct {
	pid_t pid;
	int orders[2], answers[2];
} root;

static struct settings settings;
static struct process_tree tree;
static pid_t watched; /* openings of its stat are counted */
static int opened;
static bool all_listed;
static uint64_t passed_ns; /* since the full scan */

int __real_openat(int dir_fd, const char *path, int flags, ...);
int __wrap_openat(int dir_fd, const char *path, int flags, ...);
struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);

int __wrap_openat(int dir_fd, const char *path, int flags, ...)
{
	char stat[32];

	snprintf(stat, sizeof stat, "%d/stat", (int)watched);
	opened += strcmp(path, stat) == 0;
	return __real_openat(dir_fd, path, flags);
}

struct dirent *__wrap_readdir(DIR *dir)
{
	struct dirent *entry = __real_readdir(dir);

	all_listed |= entry && strcmp(entry->d_name, "self") == 0;
	return entry;
}

static void work(int signal)
{
	(void)signal;
}

/* Never left behind by a failed test. */
static _Noreturn void sleep_on(void)
{
	signal(SIGUSR1, work);
	alarm(600);
	for (;;)
		pause();
}

/* 'p': a parent whose child sleeps on. */
static pid_t fork_sleeper(char order)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (order == 'p' && fork() != 0)
		sleep_on();
	sleep_on();
}

static void *sleep_in_thread(void *context)
{
	pid_t tid = gettid();

	assert_int_equal(write(*(const int *)context, &tid, sizeof tid), sizeof tid);
	sleep_on();
}

static _Noreturn void obey(void)
{
	pthread_t thread;
	pid_t pid;
	char order;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (read(root.orders[0], &order, 1) == 1) {
		if (order == 't') {
			pthread_create(&thread, NULL, sleep_in_thread, &root.answers[1]);
			continue;
		}
		pid = order == 'w' ? wait(NULL) : fork_sleeper(order);
		if (write(root.answers[1], &pid, sizeof pid) != sizeof pid)
			break;
	}
	kill(0, SIGKILL); /* all sleepers, if the test was killed */
	_exit(0);
}

static pid_t order(char letter)
{
	pid_t pid;

	assert_int_equal(write(root.orders[1], &letter, 1), 1);
	assert_int_equal(read(root.answers[0], &pid, sizeof pid), sizeof pid);
	return pid;
}

static void scan(void)
{
	opened = 0;
	all_listed = false;
	process_tree_scan(&tree, tree.full_scan_ns + ++passed_ns);
	assert_true(tree.alive);
}

static bool has(pid_t pid)
{
	for (size_t i = 0; i < tree.pid_count; i++) {
		if (tree.pids[i] == pid)
			return true;
	}
	return false;
}

static int setup(void **state)
{
	(void)state;
	if (pipe2(root.orders, O_CLOEXEC) != 0 || pipe2(root.answers, O_CLOEXEC) != 0)
		return -1;
	root.pid = fork();
	if (root.pid == 0) {
		setpgid(0, 0);
		close(root.orders[1]);
		obey();
	}
	setpgid(root.pid, root.pid);
	struct sampler_options options = { .pid = root.pid };
	return settings_copy(&options, &settings) || process_tree_init(&tree, &settings);
}

static int teardown(void **state)
{
	(void)state;
	process_tree_deinit(&tree);
	kill(-root.pid, SIGKILL);
	waitpid(root.pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(root.orders[i]);
		close(root.answers[i]);
	}
	return 0;
}

/* Until it sleeps, and a scan finds that it has not run. */
static void scan_until_asleep(pid_t pid)
{
	double start = now_s();

	watched = pid;
	do {
		scan();
	} while ((!has(pid) || opened > 0) && now_s() - start < PATIENCE_S);
	assert_true(has(pid));
	assert_int_equal(opened, 0);
}

static void scan_until_opened(void)
{
	double start = now_s();

	do {
		scan();
	} while (opened == 0 && now_s() - start < PATIENCE_S);
	assert_int_equal(opened, 1);
}

/* The clock is finer than the ticks of stat: a moment of work shows. */
static void test_sleeper_is_not_read(void **state)
{
	(void)state;
	pid_t pid = order('f');
	scan_until_asleep(pid);
	struct process *process = process_table_find(&tree.now, pid);
	assert_true(process->is_idle);
	uint64_t ran_ns = process->ran_ns;
	kill(pid, SIGUSR1);
	scan_until_opened();
	process = process_table_find(&tree.now, pid);
	assert_false(process->is_same);
	assert_true(process->ran_ns > ran_ns);
}

/* Once a minute all is read, but what has not run. */
static void test_full_scan(void **state)
{
	(void)state;
	pid_t pid = order('f');
	scan_until_asleep(pid);
	process_tree_scan(&tree, tree.full_scan_ns + 60 * UINT64_C(1000000000));
	assert_true(all_listed);
	assert_true(has(pid));
	assert_int_equal(opened, 0);
}

static void test_zombie(void **state)
{
	double start = now_s();

	(void)state;
	pid_t pid = order('f');
	scan_until_asleep(pid);
	uint64_t threads = tree.threads;
	kill(pid, SIGKILL);
	do {
		scan();
	} while (tree.threads == threads && now_s() - start < PATIENCE_S);
	assert_int_equal(tree.threads, threads - 1);
	scan();
	assert_int_equal(tree.threads, threads - 1);
	assert_int_equal(order('w'), pid);
	scan();
	assert_false(has(pid));
}

/* Its parent ended, and the root is its parent now. It did not run for that. */
static void test_orphan(void **state)
{
	double start = now_s();

	(void)state;
	pid_t parent = order('p');
	while (tree.pid_count < 3 && now_s() - start < PATIENCE_S)
		scan();
	assert_int_equal(tree.pid_count, 3);
	pid_t orphan = 0;
	for (size_t i = 0; i < tree.pid_count; i++) {
		if (tree.pids[i] != parent && tree.pids[i] != root.pid)
			orphan = tree.pids[i];
	}
	scan_until_asleep(orphan);
	kill(parent, SIGKILL);
	assert_int_equal(order('w'), parent);
	scan();
	assert_false(has(parent));
	assert_true(has(orphan));
	assert_int_equal(process_table_find(&tree.now, orphan)->parent, root.pid);
}

/* A new process is found by its pid, and a thread is none, though it has one. */
static void test_new_process(void **state)
{
	size_t count = 0;
	int tries = 0;

	(void)state;
	if (access("/proc/sys/kernel/ns_last_pid", R_OK) != 0)
		skip();
	pid_t thread = order('t');
	scan();
	do {
		count = tree.pid_count;
		pid_t pid = order('f');
		scan();
		assert_true(has(pid));
	} while (all_listed && ++tries < TRIES);
	assert_false(all_listed);
	assert_int_equal(tree.pid_count, count + 1);
	assert_false(has(thread));
	assert_int_equal(process_table_find(&tree.now, root.pid)->threads, 2);
}

/* A new process may have the pid of a stranger that ended, after the pids began again. */
static void test_pid_of_a_stranger(void **state)
{
	int tries = 0;
	pid_t pid, last;

	(void)state;
	if (access("/proc/sys/kernel/ns_last_pid", R_OK) != 0)
		skip();
	do {
		scan();
		last = (pid_t)tree.last_pid;
		tree.listed_count = PROCESS_TABLE_SLOTS_MAX; /* none are forgotten */
		for (pid_t at = last + 1; at <= last + STRANGERS; at++)
			process_table_insert(&tree.now,
					     &(struct process){ .pid = at,
								.inode = 1,
								.kind = PROCESS_OUTSIDER });
		pid = order('f');
		scan();
		assert_true(has(pid));
	} while ((all_listed || pid <= last || pid > last + STRANGERS) && ++tries < TRIES);
	assert_true(tries < TRIES);
}

/* Many strangers that ended are forgotten before the minute is over. */
static void test_many_strangers(void **state)
{
	(void)state;
	tree.listed_count = 1;
	order('f');
	scan();
	assert_true(all_listed);
	assert_true(tree.listed_count > 1);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_sleeper_is_not_read),
		TREE_TEST(test_full_scan),
		TREE_TEST(test_zombie),
		TREE_TEST(test_orphan),
		TREE_TEST(test_new_process),
		TREE_TEST(test_pid_of_a_stranger),
		TREE_TEST(test_many_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
