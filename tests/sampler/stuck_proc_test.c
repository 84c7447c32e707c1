/* stuck_proc_test.c - even a /proc that does not answer cannot hold up the end of a program. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

struct stuck {
	struct fixture fixture;
	char pipe[400];
	struct sampler *sampler;
	atomic_int rows;
};

static void count_row(void *context, const struct sampler_row *row)
{
	struct stuck *stuck = context;

	(void)row;
	atomic_fetch_add(&stuck->rows, 1);
}

static bool is_samplers(const char *task)
{
	char path[300], name[32] = "";

	snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
	FILE *file = fopen(path, "r");
	if (!file)
		return false; /* it has just ended */
	bool has_name = fgets(name, sizeof name, file) != NULL;
	fclose(file);
	return has_name && strncmp(name, "cairn-", 6) == 0;
}

/* Threads of samplers in this process. */
static int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	assert_non_null(tasks);
	for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
		count += is_samplers(entry->d_name);
	closedir(tasks);
	return count;
}

/* Opening a pipe that nobody writes to waits. The thread comes to it with its first row. */
static void start(struct stuck *stuck)
{
	*stuck = (struct stuck){ 0 };
	fixture_begin(&stuck->fixture, "v2_leaf");
	fixture_remove(&stuck->fixture, "proc/100/cgroup");
	snprintf(stuck->pipe, sizeof stuck->pipe, "%s/100/cgroup", stuck->fixture.proc);
	assert_int_equal(mkfifo(stuck->pipe, 0600), 0);
	struct sampler_options options = fixture_options(&stuck->fixture, 100);
	options.interval_ms = 100;
	stuck->sampler = sampler_new(&options);
	assert_int_equal(sampler_start(stuck->sampler, count_row, stuck), 0);
}

/* The other end of the pipe, once the thread waits at it. */
static int open_other_end(const struct stuck *stuck)
{
	int end;

	while ((end = open(stuck->pipe, O_WRONLY | O_NONBLOCK)) < 0 && errno == ENXIO)
		sched_yield();
	assert_true(end >= 0);
	return end;
}

/* The thread is left behind, without a callback, and cleans up when it comes free. */
static void test_end(void **state)
{
	struct stuck stuck;

	(void)state;
	start(&stuck);
	double start_s = now_s();
	sampler_stop(stuck.sampler);
	sampler_stop(stuck.sampler);
	sampler_free(stuck.sampler);
	assert_true(now_s() - start_s < 60);
	assert_true(count_threads() > 0);
	assert_int_equal(atomic_load(&stuck.rows), 0);
	close(open_other_end(&stuck));
	while (count_threads() > 0)
		sched_yield();
	assert_int_equal(atomic_load(&stuck.rows), 0);
	fixture_end(&stuck.fixture);
}

/* It came free before the sampler was freed. */
static void test_late_end(void **state)
{
	struct stuck stuck;
	struct sampler_row *row = test_malloc(sizeof *row);

	(void)state;
	start(&stuck);
	sampler_stop(stuck.sampler);
	assert_int_equal(sampler_sample(stuck.sampler, row), EBUSY);
	close(open_other_end(&stuck));
	sampler_free(stuck.sampler);
	assert_int_equal(atomic_load(&stuck.rows), 0);
	test_free(row);
	fixture_end(&stuck.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_late_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
