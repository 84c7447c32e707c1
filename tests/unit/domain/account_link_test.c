/* One-time links: their tokens and hashes, their addresses, and what the audit log says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "access.h"
#include "account_link.h"
#include "arena.h"
#include "session.h"

static void test_token(void **state)
{
	char first[ACCOUNT_LINK_TEXT_SIZE + 1], second[ACCOUNT_LINK_TEXT_SIZE + 1];

	(void)state;
	account_link_make(first);
	account_link_make(second);
	assert_string_not_equal(first, second);
	assert_true(account_link_is_token(str_of(first)));
	assert_false(account_link_is_token(str_of(first + 1)));
	assert_false(account_link_is_token(STR("")));
	first[3] = 'G';
	assert_false(account_link_is_token(str_of(first)));
}

static void test_hash_is_of_links_only(void **state)
{
	static const struct key_secret one = { { 1 } }, two = { { 2 } };
	unsigned char hash[KEY_HASH_SIZE], again[KEY_HASH_SIZE], other[KEY_HASH_SIZE];

	(void)state;
	account_link_hash(&one, STR("abc"), hash);
	account_link_hash(&one, STR("abc"), again);
	assert_memory_equal(hash, again, sizeof(hash));
	account_link_hash(&two, STR("abc"), other);
	assert_memory_not_equal(hash, other, sizeof(hash));
	key_hash(&one, STR("abc"), other);
	assert_memory_not_equal(hash, other, sizeof(hash));
	session_hash(&one, STR("abc"), other);
	assert_memory_not_equal(hash, other, sizeof(hash));
}

static void test_url(void **state)
{
	struct arena *a = arena_new(1 << 10);

	(void)state;
	assert_string_equal(account_link_url(a, STR("https://x/y"), "abc"),
			    "https://x/y/login/link#abc");
	assert_string_equal(account_link_url(a, STR(""), "abc"), "/login/link#abc");
	arena_free(a);
}

static void test_words(void **state)
{
	const struct {
		struct account_link link;
		const char *words;
	} cases[] = {
		{ { .kind = ACCOUNT_LINK_INVITATION }, "" },
		{ { .kind = ACCOUNT_LINK_INVITATION, .is_admin = true }, "admin of the server" },
		{ { .kind = ACCOUNT_LINK_INVITATION,
		    .team_id = 1,
		    .team = STR("lab"),
		    .role = ENTITY_ROLE_VIEWER },
		  "viewer of lab" },
		{ { .kind = ACCOUNT_LINK_INVITATION,
		    .is_admin = true,
		    .team_id = 1,
		    .team = STR("lab"),
		    .role = ENTITY_ROLE_ADMIN },
		  "admin of the server, admin of lab" },
		{ { .kind = ACCOUNT_LINK_PASSWORD, .user_id = 1, .user = STR("ann") },
		  "password of ann" },
	};
	struct arena *a = arena_new(1 << 10);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(str_is(account_link_words(a, &cases[i].link), cases[i].words));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_hash_is_of_links_only),
		cmocka_unit_test(test_url),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
