/* Links: whatever is changed in one, or in the secret, it is forged; and it works until it expires. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "signed_url.h"

static const struct key_secret secret = { { 1, 2, 3 } };
static const struct key_secret other = { { 1, 2, 4 } };

static struct signed_url a_link(void)
{
	return (struct signed_url){ SIGNED_WRITE, 7, STR("a/b"), 1000, 5, STR("key-3"),
				    STR("client") };
}

static timestamp_us at(int64_t seconds)
{
	return (timestamp_us){ seconds * 1000000 };
}

static const char *fault(struct arena *a, const struct signed_url *url, struct str signature,
			 timestamp_us now)
{
	err_t e = signed_url_check(a, &secret, url, signature, now);

	return e ? e->type : "none";
}

static void only_what_was_signed(void **state)
{
	struct arena *a = arena_new(1024);
	struct signed_url url = a_link();
	char text[SIGNED_URL_TEXT_SIZE + 1];
	struct str signature = { text, SIGNED_URL_TEXT_SIZE };
	struct signed_url changed[] = { url, url, url, url, url, url, url, url, url };

	(void)state;
	signed_url_sign(&secret, &url, text);
	assert_int_equal(strlen(text), SIGNED_URL_TEXT_SIZE);
	assert_string_equal(fault(a, &url, signature, at(999)), "none");
	assert_string_equal(fault(a, &url, signature, at(1000)), "link-expired");
	changed[0].use = SIGNED_READ;
	changed[1].number = 8;
	changed[2].name = STR("a/c");
	changed[3].expires_s = 1001;
	changed[4].user_id = 6;
	changed[5].client = STR("clien");
	changed[6].client = STR("clienta"); /* the same bytes in sequence */
	changed[6].name = STR("/b");
	changed[7].by = STR("key-4");
	changed[8].by = STR("key-");
	changed[8].client = STR("3client");
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		assert_string_equal(fault(a, &changed[i], signature, at(0)), "link-forged");
	arena_free(a);
}

static void only_under_the_secret(void **state)
{
	struct arena *a = arena_new(1024);
	struct signed_url url = a_link();
	char text[SIGNED_URL_TEXT_SIZE + 1];
	unsigned char hash[KEY_HASH_SIZE];

	(void)state;
	signed_url_sign(&other, &url, text);
	assert_string_equal(fault(a, &url, str_of(text), at(0)), "link-forged");
	key_hash(&secret, STR("links to files"), hash);
	assert_string_equal(fault(a, &url, (struct str){ (char *)hash, sizeof(hash) }, at(0)),
			    "link-forged");
	arena_free(a);
}

static void every_bit_counts(void **state)
{
	struct arena *a = arena_new(1024);
	struct signed_url url = a_link();
	char text[SIGNED_URL_TEXT_SIZE + 1];

	(void)state;
	signed_url_sign(&secret, &url, text);
	for (size_t i = 0; i < SIGNED_URL_TEXT_SIZE; i++) {
		char before = text[i];

		text[i] = before == 'A' ? 'B' : 'A';
		assert_string_equal(fault(a, &url, str_of(text), at(0)), "link-forged");
		text[i] = before;
	}
	for (size_t len = 0; len < SIGNED_URL_TEXT_SIZE; len++)
		assert_string_equal(fault(a, &url, (struct str){ text, len }, at(0)),
				    "link-forged");
	assert_string_equal(fault(a, &url, str_of(text), at(0)), "none");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_was_signed),
		cmocka_unit_test(only_under_the_secret),
		cmocka_unit_test(every_bit_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
