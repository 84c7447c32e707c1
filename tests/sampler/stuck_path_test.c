/* stuck_path_test.c - file systems that do not answer, as a server that is away leaves them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "fixture.h"

#define STUCK "/stuck/"
#define TRIES 100

int __real_statvfs(const char *path, struct statvfs *ret_space);
int __wrap_statvfs(const char *path, struct statvfs *ret_space);

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int waiting;
	bool is_away;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static struct sampler_row row;

/* Paths below STUCK do not answer while the server is away; then they are "/". */
int __wrap_statvfs(const char *path, struct statvfs *ret_space)
{
	if (strncmp(path, STUCK, strlen(STUCK)) != 0)
		return __real_statvfs(path, ret_space);
	pthread_mutex_lock(&server.lock);
	server.waiting++;
	pthread_cond_broadcast(&server.changed);
	while (server.is_away)
		pthread_cond_wait(&server.changed, &server.lock);
	server.waiting--;
	pthread_cond_broadcast(&server.changed);
	pthread_mutex_unlock(&server.lock);
	return __real_statvfs("/", ret_space);
}

static void set_away(bool is_away)
{
	pthread_mutex_lock(&server.lock);
	server.is_away = is_away;
	pthread_cond_broadcast(&server.changed);
	pthread_mutex_unlock(&server.lock);
}

static void wait_for(int waiting)
{
	pthread_mutex_lock(&server.lock);
	while (server.waiting != waiting)
		pthread_cond_wait(&server.changed, &server.lock);
	pthread_mutex_unlock(&server.lock);
}

struct times {
	double row_s, end_s;
};

/* The usual row but for the stuck paths. */
static struct times use_stuck_paths(void)
{
	char text[SAMPLER_DISK_PATHS_MAX][32];
	const char *paths[SAMPLER_DISK_PATHS_MAX] = { "/" };
	struct sampler_options options = { .disk_paths = paths,
					   .disk_path_count = SAMPLER_DISK_PATHS_MAX,
					   .interval_ms = 100 };

	for (int i = 1; i < SAMPLER_DISK_PATHS_MAX; i++) {
		snprintf(text[i], sizeof text[i], STUCK "%d", i);
		paths[i] = text[i];
	}
	set_away(true);
	struct sampler *sampler = sampler_new(&options);
	wait_for(SAMPLER_DISK_PATHS_MAX - 1);
	double start_s = now_s();
	assert_int_equal(sampler_sample(sampler, &row), 0);
	double row_end_s = now_s();
	assert_true(row_has(&row, "disk./.usageGB"));
	assert_true(row_has(&row, "memory_percent"));
	assert_false(row_has(&row, "disk./stuck/1.usageGB"));
	double end_s = now_s();
	sampler_free(sampler);
	struct times took = { .row_s = row_end_s - start_s, .end_s = now_s() - end_s };
	set_away(false);
	wait_for(0);
	return took;
}

/* A row waits half an interval, and fifteen paths wait no longer at the end than one. The quickest of
 * several tries tells on a busy machine. */
static void test_times(void **state)
{
	struct times least = { 100, 100 };

	(void)state;
	for (int i = 0; i < TRIES && (least.row_s >= 0.2 || least.end_s >= 0.4); i++) {
		struct times took = use_stuck_paths();
		least.row_s = took.row_s < least.row_s ? took.row_s : least.row_s;
		least.end_s = took.end_s < least.end_s ? took.end_s : least.end_s;
	}
	assert_true(least.row_s < 0.2);
	assert_true(least.end_s < 0.4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
