/* Runs to notify peers of: each once, in texts that a NOTIFY can hold, and "all" if there are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "peers.c"

enum { NOTICE_BYTES = 8000 };

struct fixture {
	struct arena *a;
	struct pending_runs pending;
};

static int setup(void **state)
{
	struct fixture *f = malloc(sizeof(*f));

	f->a = arena_new(1024);
	pending_init(&f->pending);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pending_deinit(&f->pending);
	arena_free(f->a);
	free(f);
	return 0;
}

static void test_each_once(void **state)
{
	struct fixture *f = *state;
	struct str *texts;

	assert_false(pending_has_some(&f->pending));
	assert_true(pending_add(&f->pending, 5));
	assert_false(pending_add(&f->pending, 5));
	assert_true(pending_has_some(&f->pending));
	assert_int_equal(pending_take(&f->pending, f->a, &texts), 1);
	assert_true(str_is(texts[0], "runs 5"));
	assert_false(pending_has_some(&f->pending));
	assert_int_equal(pending_take(&f->pending, f->a, &texts), 0);
	assert_true(pending_add(&f->pending, 5));
}

/* Each of the `count` runs from `first` on is in one of the texts. */
static void check_all_sent(struct fixture *f, int64_t first, uint32_t count)
{
	bool *seen = calloc(count, sizeof(*seen));
	uint32_t found = 0;
	struct str *texts;
	size_t n = pending_take(&f->pending, f->a, &texts);

	for (size_t i = 0; i < n; i++) {
		struct str rest = texts[i];
		int64_t run_id;

		assert_true(rest.len < NOTICE_BYTES);
		assert_true(str_is(str_cut(&rest, ' '), "runs"));
		while (rest.len) {
			assert_true(str_to_int64(str_cut(&rest, ' '), first, first + count - 1,
						 &run_id));
			assert_false(seen[run_id - first]);
			seen[run_id - first] = true;
			found++;
		}
	}
	free(seen);
	assert_int_equal(found, count);
}

static void test_as_many_as_can_be_named(void **state)
{
	struct fixture *f = *state;
	const int64_t first = INT64_MAX - PENDING_RUNS_MAX;

	for (int64_t i = 0; i < PENDING_RUNS_MAX; i++)
		pending_add(&f->pending, first + i);
	check_all_sent(f, first, PENDING_RUNS_MAX);
}

static void test_too_many(void **state)
{
	struct fixture *f = *state;
	struct str *texts;

	for (int64_t i = 1; i <= 3 * PENDING_RUNS_MAX; i++)
		pending_add(&f->pending, i);
	assert_int_equal(pending_take(&f->pending, f->a, &texts), 1);
	assert_true(str_is(texts[0], "all"));
	pending_add(&f->pending, 7);
	check_all_sent(f, 7, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_as_many_as_can_be_named, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
