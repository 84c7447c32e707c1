/* Sessions: their tokens, and when they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "password.h"
#include "session.h"

#define MINUTE (INT64_C(60) * 1000000)
static const struct session_limits limits = { 10 * MINUTE, 25 * MINUTE };

static timestamp_us at(int64_t minutes)
{
	return (timestamp_us){ minutes * MINUTE };
}

static void test_token(void **state)
{
	char first[SESSION_TEXT_SIZE + 1], second[SESSION_TEXT_SIZE + 1];

	(void)state;
	session_make(first);
	session_make(second);
	assert_string_not_equal(first, second);
	assert_true(session_is_token(str_of(first)));
	assert_false(session_is_token(str_of(first + 1)));
	assert_false(session_is_token(STR("")));
	first[3] = 'G';
	assert_false(session_is_token(str_of(first)));
}

static void test_hash_is_no_keys(void **state)
{
	static const struct key_secret one = { { 1 } }, two = { { 2 } };
	unsigned char hash[KEY_HASH_SIZE], again[KEY_HASH_SIZE], other[KEY_HASH_SIZE];

	(void)state;
	session_hash(&one, STR("abc"), hash);
	session_hash(&one, STR("abc"), again);
	assert_memory_equal(hash, again, sizeof(hash));
	session_hash(&two, STR("abc"), other);
	assert_memory_not_equal(hash, other, sizeof(hash));
	key_hash(&one, STR("abc"), other);
	assert_memory_not_equal(hash, other, sizeof(hash));
}

static void test_end(void **state)
{
	struct session s = { 0 };

	(void)state;
	session_begin(&s, &limits, at(100));
	assert_int_equal(s.ends_at.us, at(110).us);
	assert_false(session_see(&s, &limits, (timestamp_us){ at(101).us - 1 }));
	assert_int_equal(s.ends_at.us, at(110).us);
	assert_true(session_see(&s, &limits, at(109)));
	assert_int_equal(s.ends_at.us, at(119).us);
	assert_true(session_see(&s, &limits, at(118)));
	assert_int_equal(s.ends_at.us, at(125).us);
	assert_true(session_see(&s, &limits, at(124)));
	assert_int_equal(s.ends_at.us, at(125).us);
	assert_int_equal(s.created_at.us, at(100).us);
}

/* The clock of the database may be set back: nothing is stored for that. */
static void test_clock_set_back(void **state)
{
	struct session s = { 0 };

	(void)state;
	session_begin(&s, &limits, at(100));
	assert_false(session_see(&s, &limits, at(50)));
	assert_int_equal(s.ends_at.us, at(110).us);
}

static void test_nobody_has_no_password(void **state)
{
	(void)state;
	assert_false(password_matches(STR(""), NULL));
	assert_false(password_matches(STR("whatever"), NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_hash_is_no_keys),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_nobody_has_no_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
