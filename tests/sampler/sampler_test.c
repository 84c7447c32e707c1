/* sampler_test.c - options, metadata, the thread, and a process that forks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "cpu_count.h"
#include "fixture.h"
#include "info_text.h"
#include "process_tree.h"
#include "sample_row.h"
#include "schedule.h"
#include "settings.h"
#include "source.h"

static struct sampler_row row;

static void test_options(void **state)
{
	static const char *const relative[] = { "data" };
	static const char *const control[] = { "/a\nb" };
	static const char *const not_utf8[] = { "/a\xff" };
	static const int negative[] = { -1 };
	char long_path[600];
	const char *too_long[] = { long_path };
	const struct sampler_options rows[] = {
		{ .pid = -1 },
		{ .disk_paths = relative, .disk_path_count = 1 },
		{ .disk_paths = control, .disk_path_count = 1 },
		{ .disk_paths = not_utf8, .disk_path_count = 1 },
		{ .disk_paths = too_long, .disk_path_count = 1 },
		{ .disk_paths = relative, .disk_path_count = SAMPLER_DISK_PATHS_MAX + 1 },
		{ .gpu_ids = negative, .gpu_id_count = 1 },
		{ .gpu_ids = negative, .gpu_id_count = SAMPLER_GPUS_MAX + 1 },
		{ .proc_root = long_path },
	};

	(void)state;
	memset(long_path, '/', sizeof long_path - 1);
	long_path[sizeof long_path - 1] = '\0';
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		errno = 0;
		assert_null(sampler_new(&rows[i]));
		assert_int_equal(errno, EINVAL);
	}
	sampler_free(NULL);
}

static void test_interval(void **state)
{
	static const struct {
		unsigned given_ms, interval_ms, wait_ms;
	} rows[] = {
		{ 0, 15000, 250 }, { 1, 100, 50 },    { 99, 100, 50 },
		{ 100, 100, 50 },  { 400, 400, 200 }, { 86400000, 86400000, 250 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sampler_options options = { .interval_ms = rows[i].given_ms };
		struct settings settings;
		assert_int_equal(settings_copy(&options, &settings), 0);
		assert_int_equal(settings.interval_ms, rows[i].interval_ms);
		assert_int_equal(settings_wait_ms(&settings), rows[i].wait_ms);
	}
}

static void test_row_bounds(void **state)
{
	(void)state;
	sample_row_begin(&row);
	sample_row_add(&row, "nan", NAN);
	sample_row_add(&row, "inf", INFINITY);
	assert_int_equal(row.count, 0);
	for (int i = 0; i < SAMPLER_ROW_MAX + 3; i++)
		sample_row_add(&row, "x", i);
	assert_int_equal(row.count, SAMPLER_ROW_MAX);
	assert_int_equal(row.dropped, 3);
}

/* A rate of what the group's quota of 2.5 CPUs offers; none for spans too short to tell. */
static void test_cpu(void **state)
{
	static const struct {
		uint64_t elapsed_ms, ticks; /* of 10 ms */
		double cpu;                 /* NaN: absent */
	} rows[] = {
		{ 500, 25, 20 }, { 1000, 250, 100 },   { 10, 50, NAN }, { 490, 0, 40 },
		{ 1000, 0, 0 },  { 1000, 90000, 320 }, /* no more than all eight CPUs can have done */
	};
	struct fixture fixture;
	struct settings settings;
	struct cgroup cgroup = { .cpu_limit = 2.5 };
	struct process_tree *tree = calloc(1, sizeof *tree);
	void *cpu = NULL;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	assert_int_equal(source_cpu.open(&settings, &cpu), 0);
	struct sample sample = { .settings = &settings,
				 .tree = tree,
				 .cgroup = &cgroup,
				 .row = &row,
				 .now_ns = monotonic_ns() + 100 * NS_PER_S };
	tree->alive = true;
	tree->counted = true;
	source_cpu.sample(cpu, &sample); /* time counts from here */
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		sample.now_ns += rows[i].elapsed_ms * NS_PER_MS;
		tree->cpu_ticks += rows[i].ticks * (uint64_t)sysconf(_SC_CLK_TCK) / 100;
		sample_row_begin(&row);
		source_cpu.sample(cpu, &sample);
		double value = row_value(&row, "cpu");
		assert_true(isnan(rows[i].cpu) ? isnan(value) : fabs(value - rows[i].cpu) < 1e-6);
	}
	source_cpu.close(cpu);
	free(tree);
	fixture_end(&fixture);
}

/* After scans that failed nobody knows what was used: no value, and a new beginning. */
static void test_cpu_after_a_gap(void **state)
{
	struct fixture fixture;
	struct settings settings;
	struct cgroup cgroup = { .cpu_limit = 1 };
	struct process_tree *tree = calloc(1, sizeof *tree);
	void *cpu = NULL;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	assert_int_equal(source_cpu.open(&settings, &cpu), 0);
	struct sample sample = { .settings = &settings,
				 .tree = tree,
				 .cgroup = &cgroup,
				 .row = &row,
				 .now_ns = monotonic_ns() + 100 * NS_PER_S };
	tree->alive = true;
	sample_row_begin(&row);
	source_cpu.sample(cpu, &sample);
	assert_false(row_has(&row, "cpu"));
	tree->counted = true;
	tree->cpu_ticks += (uint64_t)sysconf(_SC_CLK_TCK) / 2;
	sample.now_ns += NS_PER_S;
	source_cpu.sample(cpu, &sample);
	assert_float_equal(row_value(&row, "cpu"), 50, 1e-6);
	source_cpu.close(cpu);
	free(tree);
	fixture_end(&fixture);
}

/* A process that is dead and only not waited for tells of no memory and no threads, which is not 0. */
static void test_zombie(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	fixture_process(&fixture,
			&(struct fixture_process){ .pid = 100, .state = 'Z', .threads = 1 });
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	assert_int_equal(sampler_sample(sampler, &row), 0);
	assert_true(row_has(&row, "memory_percent"));
	assert_false(row_has(&row, "proc.cpu.threads"));
	assert_false(row_has(&row, "proc.memory.rssMB"));
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void write_core(const struct fixture *fixture, int first, int last)
{
	char path[100];

	for (int cpu = first; cpu <= last; cpu++) {
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/core_cpus_list",
			 cpu);
		fixture_write(fixture, path, first == last ? "%d\n" : "%d-%d\n", first, last);
	}
}

/* Numbers of CPUs have holes where some are off. */
static void test_cpu_count(void **state)
{
	struct fixture fixture;
	struct settings settings;

	(void)state;
	fixture_begin(&fixture, "");
	fixture_write(&fixture, "sys/devices/system/cpu/online", "0-1,8,16-17,24\n");
	write_core(&fixture, 0, 1);
	write_core(&fixture, 8, 8);
	write_core(&fixture, 16, 17);
	write_core(&fixture, 24, 24);
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	assert_int_equal(cpu_count_online(&settings), 6);
	assert_int_equal(cpu_count_cores(&settings), 4);
	assert_int_equal(cpu_count_allowed(&settings), 6);
	fixture_end(&fixture);
}

/* Two thousand CPUs, every other one allowed, and a user in many groups. */
static void test_cpu_count_of_a_large_host(void **state)
{
	struct fixture fixture;
	struct settings settings;
	static char list[8000], groups[30000];
	size_t length = 0;

	(void)state;
	fixture_begin(&fixture, "");
	for (int cpu = 0; cpu < 2000; cpu += 2)
		length += (size_t)snprintf(list + length, sizeof list - length, "%s%d",
					   cpu ? "," : "", cpu);
	memset(groups, '7', sizeof groups - 1);
	fixture_write(&fixture, "sys/devices/system/cpu/online", "0-1999\n");
	fixture_write(&fixture, "proc/100/status",
		      "Name:\ttrain\nGroups:\t%s\n"
		      "Cpus_allowed_list:\t%s\nMems_allowed_list:\t0\n",
		      groups, list);
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	assert_int_equal(cpu_count_allowed(&settings), 1000);
	assert_int_equal(cpu_count_cores(&settings), 2000);
	fixture_end(&fixture);
}

/* The program has no file descriptor to spare when the sampler is made; later it has. */
static void test_late_files(void **state)
{
	static const char *const names[] = { "cpu", "proc.memory.rssMB", "memory_percent",
					     "network.sent", "disk.in" };
	struct fixture fixture;
	struct rlimit usual, none;

	(void)state;
	fixture_begin(&fixture, "machine");
	fixture_process(&fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = usual.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_false(row_has(&row, "memory_percent"));
	double start = now_s();
	do {
		sampler_sample(sampler, &row);
	} while (!row_has(&row, "cpu") && now_s() - start < 20);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_true(row_has(&row, names[i]));
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void test_no_machine(void **state)
{
	struct sampler_options options = { .proc_root = "/nowhere",
					   .sys_root = "/nowhere",
					   .dev_root = "/nowhere" };

	(void)state;
	struct sampler *sampler = sampler_new(&options);
	assert_non_null(sampler);
	assert_int_equal(sampler_sample(sampler, &row), 0);
	assert_false(row_has(&row, "cpu"));
	assert_false(row_has(&row, "memory_percent"));
	assert_true(row.count <= 2); /* statvfs needs no /proc */
	char *text = sampler_metadata_json(sampler, 1000);
	assert_non_null(strstr(text, "\"cpu_count\":"));
	free(text);
	sampler_free(sampler);
}

static void test_metadata(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "machine");
	fixture_write(&fixture, "proc/100/environ",
		      "PATH=/bin%cSLURM_JOB_ID=77%cSLURM_JWT=secret%c"
		      "SLURM_JOB_NAME=a\"b\xff%c",
		      0, 0, 0, 0);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	char *text = sampler_metadata_json(sampler, 10000);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"cpu_count\":4,\"cpu_count_logical\":8,"));
	assert_non_null(strstr(text, "\"memory\":{\"total\":\"3831959552\"}"));
	assert_non_null(
		strstr(text, "\"slurm\":{\"job_id\":\"77\",\"job_name\":\"a\\\"b\\ufffd\"}"));
	assert_non_null(strstr(text, "\"disk\":{\"/\":{\"total\":\""));
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, "gpu"));
	free(text);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* An environment is read up to 128 KiB; the variable at the cut is not taken for a whole one. */
static void test_large_environment(void **state)
{
	static char filler[140000];
	struct fixture fixture;
	int name_length = (int)strlen("FILLER=") + 1;

	(void)state;
	fixture_begin(&fixture, "machine");
	memset(filler, 'x', sizeof filler - 1);
	fixture_write(&fixture, "proc/100/environ", "SLURM_A=1%cFILLER=%.*s%cSLURM_B=%s", 0,
		      128 * 1024 - 10 - name_length - 20, filler, 0, filler);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	char *text = sampler_metadata_json(sampler, 10000);
	assert_non_null(strstr(text, "\"slurm\":{\"a\":\"1\"}"));
	free(text);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* Whatever does not fit is left out whole. */
static void test_info_text(void **state)
{
	char bytes[64];
	struct info_text text;

	(void)state;
	info_text_begin(&text, bytes, sizeof bytes);
	info_string(&text, "a", "x\n\x01");
	struct info_point point = info_point(&text);
	info_object_begin(&text, "b");
	info_string(&text, "c", "much too long for what is left of the buffer");
	info_object_end(&text);
	info_settle(&text, point);
	info_number(&text, "d", 5);
	info_text_end(&text);
	assert_string_equal(bytes, "{\"a\":\"x\\u000a\\u0001\",\"d\":5}");
}

static void test_schedule(void **state)
{
	static const struct {
		uint64_t interval_ms, elapsed_ms, next_ms;
	} rows[] = {
		{ 15000, 0, 1000 },      { 15000, 999, 1000 },    { 15000, 1000, 15000 },
		{ 15000, 15000, 30000 }, { 15000, 50000, 60000 }, { 500, 0, 500 },
		{ 500, 500, 1000 },      { 1000, 0, 1000 },       { 1000, 1001, 2000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct schedule schedule = { .start_ns = 7,
					     .interval_ns = rows[i].interval_ms * NS_PER_MS };
		uint64_t next = schedule_next(&schedule, 7 + rows[i].elapsed_ms * NS_PER_MS);
		assert_true(next == 7 + rows[i].next_ms * NS_PER_MS);
	}
}

/* Rows as the thread delivers them. */
struct listener {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int rows;
	double first_s;
	double last_timestamp_s;
	bool saw_signals;
};

static void listen_row(void *context, const struct sampler_row *r)
{
	struct listener *listener = context;
	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	pthread_mutex_lock(&listener->lock);
	if (listener->rows++ == 0)
		listener->first_s = now_s();
	listener->saw_signals |= !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGCHLD);
	listener->last_timestamp_s = r->timestamp_s;
	pthread_cond_broadcast(&listener->changed);
	pthread_mutex_unlock(&listener->lock);
}

static void wait_rows(struct listener *listener, int rows)
{
	pthread_mutex_lock(&listener->lock);
	while (listener->rows < rows)
		pthread_cond_wait(&listener->changed, &listener->lock);
	pthread_mutex_unlock(&listener->lock);
}

static void listener_begin(struct listener *listener)
{
	*listener = (struct listener){ 0 };
	pthread_mutex_init(&listener->lock, NULL);
	pthread_cond_init(&listener->changed, NULL);
}

static void test_thread(void **state)
{
	struct listener listener;
	struct sampler_options options = { .interval_ms = 100 };

	(void)state;
	listener_begin(&listener);
	struct sampler *sampler = sampler_new(&options);
	assert_int_equal(sampler_start(sampler, NULL, NULL), EINVAL);
	assert_int_equal(sampler_start(sampler, listen_row, &listener), 0);
	assert_int_equal(sampler_start(sampler, listen_row, &listener), EBUSY);
	assert_int_equal(sampler_sample(sampler, &row), EBUSY);
	char *text = sampler_metadata_json(sampler, 1000); /* beside the thread */
	assert_non_null(text);
	free(text);
	wait_rows(&listener, 3);
	sampler_stop(sampler);
	int rows = listener.rows;
	assert_true(rows >= 4); /* three and the last */
	assert_false(listener.saw_signals);
	sampler_stop(sampler);
	assert_int_equal(listener.rows, rows);
	assert_int_equal(sampler_sample(sampler, &row), 0);
	assert_int_equal(sampler_start(sampler, listen_row, &listener), 0); /* once more */
	wait_rows(&listener, rows + 1);
	sampler_free(sampler);
}

/* With a long interval: one row within a second (and some for a busy machine). */
static void test_first_row(void **state)
{
	struct listener listener;
	struct sampler_options options = { .interval_ms = 3600000 };

	(void)state;
	listener_begin(&listener);
	struct sampler *sampler = sampler_new(&options);
	double start = now_s();
	assert_int_equal(sampler_start(sampler, listen_row, &listener), 0);
	wait_rows(&listener, 1);
	assert_true(listener.first_s - start >= 0.99);
	assert_true(listener.first_s - start < 120);
	sampler_free(sampler);
}

/* A run shorter than a second has a row, the last one. */
static void test_short_run(void **state)
{
	struct listener listener;

	(void)state;
	listener_begin(&listener);
	struct sampler *sampler = sampler_new(NULL);
	assert_int_equal(sampler_start(sampler, listen_row, &listener), 0);
	sampler_stop(sampler);
	assert_int_equal(listener.rows, 1);
	sampler_free(sampler);
}

/* A forked child may run the parent's exit handlers. */
static void test_fork(void **state)
{
	struct listener listener;
	struct sampler_options options = { .interval_ms = 100 };
	int status = 0;

	(void)state;
	listener_begin(&listener);
	struct sampler *sampler = sampler_new(&options);
	sampler_start(sampler, listen_row, &listener);
	wait_rows(&listener, 1);
	pid_t child = fork();
	if (child == 0) {
		bool refused = sampler_sample(sampler, &row) == EBUSY &&
			       sampler_start(sampler, listen_row, &listener) == EBUSY &&
			       !sampler_metadata_json(sampler, 1000);
		sampler_stop(sampler);
		sampler_free(sampler);
		_exit(refused ? 7 : 8);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	wait_rows(&listener, 3); /* the parent's thread goes on */
	sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_row_bounds),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_no_machine),
		cmocka_unit_test(test_late_files),
		cmocka_unit_test(test_cpu_after_a_gap),
		cmocka_unit_test(test_zombie),
		cmocka_unit_test(test_cpu_count),
		cmocka_unit_test(test_cpu_count_of_a_large_host),
		cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_large_environment),
		cmocka_unit_test(test_info_text),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_first_row),
		cmocka_unit_test(test_short_run),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
