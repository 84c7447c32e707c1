/* The token of the first user: of a secret and a seed, and of nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "setup_token.h"

static const struct key_secret one = { { 1 } }, two = { { 2 } };

static void test_same_everywhere(void **state)
{
	char first[SETUP_TOKEN_SIZE + 1], again[SETUP_TOKEN_SIZE + 1];

	(void)state;
	setup_token_make(&one, STR("seed"), first);
	setup_token_make(&one, STR("seed"), again);
	assert_string_equal(first, again);
	assert_true(setup_token_matches(&one, STR("seed"), str_of(first)));
}

static void test_of_both(void **state)
{
	char text[SETUP_TOKEN_SIZE + 1];

	(void)state;
	setup_token_make(&one, STR("seed"), text);
	assert_false(setup_token_matches(&two, STR("seed"), str_of(text)));
	assert_false(setup_token_matches(&one, STR("seeds"), str_of(text)));
	assert_false(setup_token_matches(&one, STR(""), str_of(text)));
	assert_false(setup_token_matches(&one, STR("seed"), str_of(text + 1)));
	assert_false(setup_token_matches(&one, STR("seed"), STR("")));
	text[5] ^= 1;
	assert_false(setup_token_matches(&one, STR("seed"), str_of(text)));
}

static void test_seeds_differ(void **state)
{
	char first[SETUP_TOKEN_SEED_SIZE + 1], second[SETUP_TOKEN_SEED_SIZE + 1];

	(void)state;
	setup_token_seed(first);
	setup_token_seed(second);
	assert_string_not_equal(first, second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_everywhere),
		cmocka_unit_test(test_of_both),
		cmocka_unit_test(test_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
