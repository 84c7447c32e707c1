/* Quotas: whose holds, and what fits into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "quota.h"

static void a_quota_of_its_own_goes_before_the_servers(void **state)
{
	(void)state;
	assert_int_equal(quota_limit(QUOTA_STANDARD, 7), 7);
	assert_int_equal(quota_limit(QUOTA_STANDARD, QUOTA_NONE), QUOTA_NONE);
	assert_int_equal(quota_limit(QUOTA_NONE, 7), QUOTA_NONE);
	assert_int_equal(quota_limit(9, 7), 9);
}

static void quotas_are_written_in_words(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	assert_true(str_is(quota_words(a, QUOTA_STANDARD), "as the server's"));
	assert_true(str_is(quota_words(a, QUOTA_NONE), "none"));
	assert_true(str_is(quota_words(a, 1024), "1024 bytes"));
	arena_free(a);
}

static void a_full_quota_takes_no_new_run(void **state)
{
	static const struct {
		int64_t limit, used;
		bool is_full;
	} cases[] = {
		{ 100, 99, false },         { 100, 100, true }, { 100, 101, true },
		{ QUOTA_NONE, 100, false }, { 1, 0, false },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quota_use use = { STR("ann"), "of the server", cases[i].limit,
					       cases[i].used, 0 };
		err_t e = quota_check(a, &use);

		assert_int_equal(e != NULL, cases[i].is_full);
		if (!e)
			continue;
		assert_int_equal(e->kind, ERR_FORBIDDEN);
		assert_string_equal(e->type, "quota-exceeded");
	}
	arena_free(a);
}

/* Files that are being uploaded have their room already. */
static void a_file_fits_into_what_is_left(void **state)
{
	static const struct {
		int64_t limit, used, coming, more;
		bool fits;
	} cases[] = {
		{ 100, 60, 30, 10, true },
		{ 100, 60, 30, 11, false },
		{ 100, 60, 0, 40, true },
		{ 100, 60, 0, 41, false },
		{ 100, 100, 0, 0, true },
		{ 100, 101, 0, 0, false },
		{ QUOTA_NONE, 60, 30, INT64_MAX, true },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quota_use use = { STR("ann"), "of the server", cases[i].limit,
					       cases[i].used, cases[i].coming };
		const struct quota_more more = { cases[i].more, "file", "files" };
		err_t e = quota_check_more(a, &use, &more);

		assert_int_equal(!e, cases[i].fits);
		if (!e)
			continue;
		assert_int_equal(e->kind, ERR_FORBIDDEN);
		assert_string_equal(e->type, "quota-exceeded");
		assert_int_equal(strstr(e->message, "uploads in progress use 30,") != NULL,
				 cases[i].coming == 30);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_of_its_own_goes_before_the_servers),
		cmocka_unit_test(quotas_are_written_in_words),
		cmocka_unit_test(a_full_quota_takes_no_new_run),
		cmocka_unit_test(a_file_fits_into_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
