/* Facts kept for a moment: bounded, forgotten in time, and never older than a clear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>

#include "ttl_cache.h"

enum { HOUR_US = INT32_MAX, THREADS = 4, ROUNDS = 20000 };

static struct str key_of(char *text, size_t size, unsigned number)
{
	int len = snprintf(text, size, "key %u", number);

	return (struct str){ text, (size_t)len };
}

static void save(struct ttl_cache *c, const char *key, int value)
{
	ttl_cache_save(c, str_of(key), ttl_cache_generation(c), &value);
}

static void test_find(void **state)
{
	struct ttl_cache *c = ttl_cache_new(16, sizeof(int), HOUR_US);
	int value = 0;

	(void)state;
	assert_false(ttl_cache_find(c, STR("a"), &value));
	save(c, "a", 1);
	save(c, "b", 2);
	assert_true(ttl_cache_find(c, STR("a"), &value));
	assert_int_equal(value, 1);
	save(c, "a", 3);
	assert_true(ttl_cache_find(c, STR("a"), &value));
	assert_int_equal(value, 3);
	assert_true(ttl_cache_find(c, STR("b"), &value));
	assert_int_equal(value, 2);
	assert_int_equal(ttl_cache_counts(c).hits, 3);
	assert_int_equal(ttl_cache_counts(c).misses, 1);
	ttl_cache_free(c);
}

static void test_too_old(void **state)
{
	struct ttl_cache *c = ttl_cache_new(16, sizeof(int), 0);
	int value;

	(void)state;
	save(c, "a", 1);
	assert_false(ttl_cache_find(c, STR("a"), &value));
	ttl_cache_free(c);
}

/* What was looked up before a clear and comes after it is not kept. */
static void test_clear(void **state)
{
	struct ttl_cache *c = ttl_cache_new(16, sizeof(int), HOUR_US);
	uint64_t before = ttl_cache_generation(c);
	int value = 1;

	(void)state;
	save(c, "a", 1);
	ttl_cache_clear(c);
	assert_false(ttl_cache_find(c, STR("a"), &value));
	ttl_cache_save(c, STR("a"), before, &value);
	assert_false(ttl_cache_find(c, STR("a"), &value));
	save(c, "a", 2);
	assert_true(ttl_cache_find(c, STR("a"), &value));
	ttl_cache_free(c);
}

/* However many come, what is found is right, and the last one is there. */
static void test_bounded(void **state)
{
	struct ttl_cache *c = ttl_cache_new(64, sizeof(unsigned), HOUR_US);
	unsigned found = 0;
	char text[32];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		unsigned value;

		ttl_cache_save(c, key_of(text, sizeof(text), i), ttl_cache_generation(c), &i);
		assert_true(ttl_cache_find(c, key_of(text, sizeof(text), i), &value));
		assert_int_equal(value, i);
	}
	for (unsigned i = 0; i < 10000; i++) {
		unsigned value;

		if (!ttl_cache_find(c, key_of(text, sizeof(text), i), &value))
			continue;
		assert_int_equal(value, i);
		found++;
	}
	assert_in_range(found, 1, 64);
	ttl_cache_free(c);
}

static void *work(void *p)
{
	struct ttl_cache *c = p;
	char text[32];

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned number = i % 97, value = number;
		struct str key = key_of(text, sizeof(text), number);

		if (ttl_cache_find(c, key, &value) && value != number)
			return c;
		ttl_cache_save(c, key, ttl_cache_generation(c), &number);
		if (i % 1000 == 0)
			ttl_cache_clear(c);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct ttl_cache *c = ttl_cache_new(64, sizeof(unsigned), HOUR_US);
	pthread_t threads[THREADS];
	void *wrong;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	ttl_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),    cmocka_unit_test(test_too_old),
		cmocka_unit_test(test_clear),   cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
