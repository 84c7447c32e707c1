/*
 * live_test.c - the sampler beside a second opinion of the kernel, on the machine it runs on.
 *
 * Nothing here assumes an idle machine: CPU time is compared with the CPU clock of the process
 * that used it, over the same span of time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu_count.h"
#include "fixture.h"
#include "sampler_state.h"

#define PATIENCE_S 120

static struct sampler_row row;

static double clock_s(clockid_t clock)
{
	struct timespec t;

	assert_int_equal(clock_gettime(clock, &t), 0);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double capacity(const struct sampler *sampler)
{
	double allowed = cpu_count_allowed(&sampler->settings);
	double quota = sampler->machine.cgroup.cpu_limit;

	return quota > 0 && quota < allowed ? quota : allowed;
}

static pid_t start_burner(void)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(600); /* never left behind by a failed test */
		for (volatile unsigned long n = 0;; n++)
			;
	}
	assert_true(child > 0);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A child that burns a core: the row says as many CPU seconds as the child's own clock. The sampler looks at its own
 * clock somewhere within its two calls, which on a busy machine may take long. */
static void test_burning_child(void **state)
{
	clockid_t clock;
	double start_s = now_s();
	double own_start = clock_s(CLOCK_PROCESS_CPUTIME_ID);

	(void)state;
	struct sampler *sampler = sampler_new(NULL);
	double begun_s = now_s();
	double own_begun = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	pid_t child = start_burner();
	assert_int_equal(clock_getcpuclockid(child, &clock), 0);
	while (clock_s(clock) < 0.5 && now_s() - start_s < PATIENCE_S)
		sched_yield();
	double least = clock_s(clock) + clock_s(CLOCK_PROCESS_CPUTIME_ID) - own_begun;
	double least_s = now_s() - begun_s;
	sampler_sample(sampler, &row);
	double most_s = now_s() - start_s;
	double most = clock_s(clock) + clock_s(CLOCK_PROCESS_CPUTIME_ID) - own_start;
	end_child(child);
	double busy = row_value(&row, "cpu") / 100 * capacity(sampler);
	assert_true(busy * most_s > least * 0.9 - 0.05);
	assert_true(busy * least_s < most * 1.1 + 0.05);
	sampler_free(sampler);
}

struct forker {
	atomic_int child;
	int ends[2]; /* of a pipe: closed when the thread shall end */
};

/* The forking thread lives on, as in a program with worker threads. */
static void *fork_in_thread(void *context)
{
	struct forker *forker = context;
	char byte;

	atomic_store(&forker->child, start_burner());
	while (read(forker->ends[0], &byte, 1) > 0)
		;
	return NULL;
}

static bool tree_has(const struct sampler *sampler, pid_t pid)
{
	for (size_t i = 0; i < sampler->machine.tree.pid_count; i++) {
		if (sampler->machine.tree.pids[i] == pid)
			return true;
	}
	return false;
}

/* The kernel lists such a child under the thread, not under the process. */
static void test_child_of_thread(void **state)
{
	struct forker forker = { 0 };
	pthread_t thread;
	double start = now_s();

	(void)state;
	pid_t child;
	assert_int_equal(pipe(forker.ends), 0);
	struct sampler *sampler = sampler_new(NULL);
	assert_int_equal(pthread_create(&thread, NULL, fork_in_thread, &forker), 0);
	while ((child = atomic_load(&forker.child)) == 0)
		sched_yield();
	do {
		sampler_sample(sampler, &row);
	} while (!tree_has(sampler, child) && now_s() - start < PATIENCE_S);
	assert_true(tree_has(sampler, child));
	end_child(child);
	close(forker.ends[1]);
	pthread_join(thread, NULL);
	close(forker.ends[0]);
	sampler_free(sampler);
}

#define FILE_BYTES (8 << 20)

/* The file's device must be a disk of this machine for its traffic to show. */
static bool is_on_disk(int file)
{
	struct stat stat;
	char path[64];

	assert_int_equal(fstat(file, &stat), 0);
	snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(stat.st_dev), minor(stat.st_dev));
	return access(path, F_OK) == 0;
}

static void write_file(int file)
{
	static char block[1 << 20];

	for (int written = 0; written < FILE_BYTES; written += (int)sizeof block) {
		block[written % (int)sizeof block] = (char)written;
		assert_int_equal(write(file, block, sizeof block), sizeof block);
	}
	assert_int_equal(fsync(file), 0);
}

static void test_disk_write(void **state)
{
	char path[] = "./sampler-live-XXXXXX";
	double start = now_s();

	(void)state;
	int file = mkstemp(path);
	assert_true(file >= 0);
	unlink(path);
	if (!is_on_disk(file)) {
		close(file);
		skip();
	}
	struct sampler *sampler = sampler_new(NULL);
	write_file(file);
	do {
		sampler_sample(sampler, &row);
	} while (row_value(&row, "disk.out") < 8 && now_s() - start < PATIENCE_S);
	assert_true(row_value(&row, "disk.out") >= 8);
	sampler_free(sampler);
	close(file);
}

static int loopback_pair(int *ret_other)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
	*ret_other = accept(server, NULL, NULL);
	close(server);
	return client;
}

#define LOOPBACK_BYTES (64 << 20)

/* 64 MiB to ourselves: far more than this machine sends elsewhere in that moment. */
static void test_loopback(void **state)
{
	static char block[1 << 16];
	int other;

	(void)state;
	struct sampler *sampler = sampler_new(NULL);
	int socket = loopback_pair(&other);
	for (size_t moved = 0; moved < LOOPBACK_BYTES; moved += sizeof block) {
		size_t received = 0;
		assert_int_equal(send(socket, block, sizeof block, 0), sizeof block);
		while (received < sizeof block) {
			ssize_t n = recv(other, block, sizeof block, 0);
			assert_true(n > 0);
			received += (size_t)n;
		}
	}
	sampler_sample(sampler, &row);
	assert_true(row_value(&row, "network.sent") < LOOPBACK_BYTES / 2.0);
	assert_true(row_value(&row, "network.recv") < LOOPBACK_BYTES / 2.0);
	close(socket);
	close(other);
	sampler_free(sampler);
}

/* By a walk over all pages; 0 where the kernel has no such file. */
static double resident_mib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	double kib = 0;

	if (!file)
		return 0;
	while (kib == 0 && fgets(line, sizeof line, file))
		sscanf(line, "Rss: %lf kB", &kib);
	fclose(file);
	return kib / 1024;
}

/* Exact, also while other counters of the kernel only estimate. */
static void test_memory(void **state)
{
	struct sampler_options options = { .flags = SAMPLER_NO_PROCESS_TREE };

	(void)state;
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row); /* has touched what it touches */
	double before = resident_mib();
	sampler_sample(sampler, &row);
	double after = resident_mib();
	sampler_free(sampler);
	if (before == 0)
		skip();
	assert_true(row_value(&row, "proc.memory.rssMB") > before * 0.97);
	assert_true(row_value(&row, "proc.memory.rssMB") < after * 1.03);
}

/* Every value of a real row is finite and within what its unit allows. */
static void test_real_row(void **state)
{
	(void)state;
	struct sampler *sampler = sampler_new(NULL);
	sampler_sample(sampler, &row);
	assert_true(row_has(&row, "memory_percent"));
	assert_true(row_has(&row, "proc.memory.rssMB"));
	assert_true(row_has(&row, "network.sent"));
	for (size_t i = 0; i < row.count; i++) {
		const char *name = row.values[i].name;
		assert_true(row.values[i].value >= 0);
		if (strstr(name, "ercent"))
			assert_true(row.values[i].value <= 100);
	}
	assert_int_equal(row.dropped, 0);
	sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burning_child), cmocka_unit_test(test_child_of_thread),
		cmocka_unit_test(test_disk_write),    cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_memory),        cmocka_unit_test(test_real_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
