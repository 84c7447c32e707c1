/* Keys: their form, and that a hash needs its secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "key.h"
#include "password.h"

static void test_make(void **state)
{
	char first[KEY_TEXT_SIZE + 1], second[KEY_TEXT_SIZE + 1];

	(void)state;
	key_make(first);
	key_make(second);
	assert_int_equal(strlen(first), KEY_TEXT_SIZE);
	assert_int_equal(strspn(first, "0123456789abcdef"), KEY_TEXT_SIZE);
	assert_string_not_equal(first, second);
}

static void test_check(void **state)
{
	struct arena *a = arena_new(1024);
	char text[200];

	(void)state;
	memset(text, '_', sizeof(text));
	assert_non_null(key_check(a, (struct str){ text, KEY_IMPORT_MIN - 1 }));
	assert_null(key_check(a, (struct str){ text, KEY_IMPORT_MIN }));
	assert_null(key_check(a, (struct str){ text, KEY_IMPORT_MAX }));
	assert_non_null(key_check(a, (struct str){ text, KEY_IMPORT_MAX + 1 }));
	for (int c = 0; c < 256; c++) {
		bool good = c && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					"0123456789_-",
					c);

		text[20] = (char)c;
		assert_int_equal(!key_check(a, (struct str){ text, 60 }), good);
	}
	arena_free(a);
}

static void test_strength(void **state)
{
	static const char *const weak[] = {
		"0000000000000000000000000000000000000000",
		"0123456701234567012345670123456701234560",
		"0123456789abcdef0123456789abcdef01234567",
		"0123456789012345678901234567890123456789",
		"abcdefghijklmnopqrstuvwxyz0123456789ABCD",
		"zyxwvutsrqponmlkjihgfedcba9876543210ABCD",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab1c2d3e4",
		"q7Zk0x_PlW2-q7Zk0x_PlW2-q7Zk0x_PlW2-q7Zk",
		"1f1f2e2e3d3d1f1f2e2e3d3d1f1f2e2e3d3d2f1e", /* 6 different ones */
		"localhostlocalhostlocalhostlocalhostlocal",
	};
	static const char *const strong[] = {
		"5f4dcc3b5aa765d61d8327deb882cf99a94a8fe5",
		"1f2e3d4c1f2e3d4d1f2e3d4e1f2e3c4f1f2e3d40",
		"q7Zk0x_PlW2-n8Vb5Ty1Rm4Ga9Sd6Fh3Jk2Lo0Ui",
		"correct-horse-battery-staple-and-some-more",
	};
	struct arena *a = arena_new(1024);
	char made[KEY_TEXT_SIZE + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(weak) / sizeof(weak[0]); i++) {
		if (!key_check_strength(a, str_of(weak[i])))
			fail_msg("%s", weak[i]);
	}
	for (size_t i = 0; i < sizeof(strong) / sizeof(strong[0]); i++) {
		if (key_check_strength(a, str_of(strong[i])))
			fail_msg("%s", strong[i]);
	}
	for (int i = 0; i < 1000; i++) {
		key_make(made);
		assert_null(key_check_strength(a, str_of(made)));
	}
	arena_free(a);
}

static void test_hash(void **state)
{
	static const struct key_secret one = { { 1 } }, two = { { 2 } };
	unsigned char first[KEY_HASH_SIZE], again[KEY_HASH_SIZE], other[KEY_HASH_SIZE];
	char print[KEY_FINGERPRINT_SIZE + 1], print_two[KEY_FINGERPRINT_SIZE + 1];

	(void)state;
	key_hash(&one, STR("abc"), first);
	key_hash(&one, STR("abc"), again);
	assert_memory_equal(first, again, sizeof(first));
	key_hash(&one, STR("abd"), other);
	assert_memory_not_equal(first, other, sizeof(first));
	key_hash(&two, STR("abc"), other);
	assert_memory_not_equal(first, other, sizeof(first));
	key_secret_fingerprint(&one, print);
	key_secret_fingerprint(&two, print_two);
	assert_string_not_equal(print, print_two);
}

static void test_hint(void **state)
{
	(void)state;
	assert_true(str_is(key_hint(STR("abcdefgh")), "efgh"));
	assert_true(str_is(key_hint(STR("ab")), "ab"));
	assert_true(str_is(key_head(STR("abcdefgh")), "abcdef"));
	assert_true(str_is(key_head(STR("ab")), "ab"));
}

static void test_password(void **state)
{
	struct arena *a = arena_new(1024);
	const char *hash;

	(void)state;
	assert_int_equal(password_hash(a, STR("1234567"), &hash)->kind, ERR_INVALID);
	assert_null(password_hash(a, STR("12345678"), &hash));
	assert_int_equal(strncmp(hash, "$argon2id$", 10), 0);
	assert_true(password_matches(STR("12345678"), hash));
	assert_false(password_matches(STR("12345679"), hash));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),     cmocka_unit_test(test_check),
		cmocka_unit_test(test_strength), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_hint),     cmocka_unit_test(test_password),
	};

	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
