/* memory_failure_test.c - every allocation and thread failed in turn: no crash, no leak. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context);

static atomic_int countdown; /* the call that fails; 0: none */

static bool fails(void)
{
	return atomic_load(&countdown) > 0 && atomic_fetch_sub(&countdown, 1) == 1;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context)
{
	return fails() ? EAGAIN : __real_pthread_create(thread, attributes, run, context);
}

static void ignore_row(void *context, const struct sampler_row *row)
{
	(void)context;
	(void)row;
}

/* True when all went well. */
static bool use_sampler(const struct sampler_options *options)
{
	static struct sampler_row row;

	struct sampler *sampler = sampler_new(options);
	if (!sampler) {
		assert_int_equal(errno, ENOMEM);
		return false;
	}
	sampler_sample(sampler, &row);
	char *text = sampler_metadata_json(sampler, 0);
	int e = sampler_start(sampler, ignore_row, NULL);
	assert_true(e == 0 || e == EAGAIN);
	sampler_free(sampler);
	free(text);
	return text && e == 0;
}

static void test_failures(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "machine");
	fixture_write(&fixture, "dev/nvidiactl", "%s", "");
	struct sampler_options options = fixture_options(&fixture, 100);
	options.nvml_path = "/nowhere.so";
	int passed_in_row = 0;
	for (int n = 1; n < 100 && passed_in_row < 3; n++) {
		atomic_store(&countdown, n);
		bool passed = use_sampler(&options);
		passed_in_row = passed && atomic_load(&countdown) > 0 ? passed_in_row + 1 : 0;
		atomic_store(&countdown, 0);
	}
	assert_int_equal(passed_in_row, 3);
	fixture_end(&fixture);
}

/* Once it runs, it takes rows without any allocation. */
static void test_steady_state(void **state)
{
	static struct sampler_row row;

	(void)state;
	struct sampler *sampler = sampler_new(NULL);
	sampler_sample(sampler, &row);
	atomic_store(&countdown, 1000);
	for (int i = 0; i < 50; i++)
		sampler_sample(sampler, &row);
	assert_int_equal(atomic_load(&countdown), 1000);
	atomic_store(&countdown, 0);
	sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_steady_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
